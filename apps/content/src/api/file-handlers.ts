import type { FileServiceHandlers, UploadFileRequest } from '@platform/contract-content';
import { malformed } from '@platform/core';
import type { CallContext } from '@platform/grpc';
import type { FileUseCases } from '../app/transfer-files.ts';
import { rangeOf } from '../domain/documents/byte-range.ts';

/** What one message carries of a file, in bytes. */
const PIECE_BYTES = 64 * 1024;

export const fileHandlers = (app: FileUseCases): FileServiceHandlers<CallContext> => ({
  async uploadFile(requests, context) {
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done) throw malformed('no_upload', 'There is nothing to upload');
    const { ticket, contentType, chunk } = first.value;
    const body = bytesOf(chunk, messages);
    const { bytes, checksum } = await app.uploadFile(ticket, contentType, body, context.requestId);
    return { sizeBytes: bytes, checksum };
  },

  async *downloadFile({ ticket, ...wanted }, { signal }) {
    const { bytes, contentType, disposition, checksum, read } = await app.downloadFile(ticket);
    const etag = `"${checksum}"`;
    const range = rangeOf(wanted, { bytes, etag });
    const headers = {
      contentType,
      contentDisposition: disposition,
      contentLength: range ? range.last - range.first + 1 : bytes,
      cacheControl: 'private, no-store',
      acceptRanges: 'bytes',
      ...(range && { contentRange: `bytes ${range.first}-${range.last}/${bytes}` }),
      etag,
    };
    yield { ...headers, chunk: new Uint8Array() };
    for await (const piece of await read(signal, range)) {
      for (let from = 0; from < piece.length; from += PIECE_BYTES)
        yield { chunk: piece.subarray(from, from + PIECE_BYTES) };
    }
  },
});

async function* bytesOf(first: Uint8Array, messages: AsyncIterator<UploadFileRequest>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await messages.next(); !next.done; next = await messages.next()) yield next.value.chunk;
}
