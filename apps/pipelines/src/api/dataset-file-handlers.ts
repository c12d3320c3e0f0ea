import type { DatasetFileServiceHandlers, UploadDatasetFileRequest } from '@platform/contract-pipelines';
import { malformed } from '@platform/core';
import type { CallContext } from '@platform/grpc';
import type { DatasetFileUseCases } from '../app/transfer-dataset-files.ts';

/** What one message carries of a file, in bytes. */
const PIECE_BYTES = 64 * 1024;

export const datasetFileHandlers = (app: DatasetFileUseCases): DatasetFileServiceHandlers<CallContext> => ({
  async uploadDatasetFile(requests, context) {
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done) throw malformed('no_upload', 'There is nothing to upload');
    const { ticket, contentType, chunk } = first.value;
    const body = bytesOf(chunk, messages);
    const { bytes, checksum } = await app.uploadFile(ticket, contentType, body, context.requestId);
    return { sizeBytes: bytes, checksum };
  },

  async *downloadDatasetFile({ ticket }, { signal }) {
    const { bytes, contentType, disposition, read } = await app.downloadFile(ticket);
    const headers = {
      contentType,
      contentDisposition: disposition,
      contentLength: bytes,
      cacheControl: 'private, no-store',
    };
    yield { ...headers, chunk: new Uint8Array() };
    for await (const piece of await read(signal)) {
      for (let from = 0; from < piece.length; from += PIECE_BYTES)
        yield { chunk: piece.subarray(from, from + PIECE_BYTES) };
    }
  },
});

async function* bytesOf(
  first: Uint8Array,
  messages: AsyncIterator<UploadDatasetFileRequest>,
): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await messages.next(); !next.done; next = await messages.next()) yield next.value.chunk;
}
