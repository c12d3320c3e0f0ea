import type { FileServiceHandlers } from '@platform-backend/contract-content';
import { inMessages, openUpload, type CallContext } from '@platform-backend/grpc';
import { rangeOf, type FileTransfers } from '@platform-backend/objects';

export const fileHandlers = (app: FileTransfers): FileServiceHandlers<CallContext> => ({
  async uploadFile(requests, context) {
    const { first, body } = await openUpload(requests);
    const { ticket, contentType, contentLength } = first;
    const head = { contentType, ...(contentLength !== null && { bytes: Number(contentLength) }) };
    const { bytes, checksum } = await app.uploadFile(ticket, head, body, context.requestId);
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
    yield* inMessages(await read(signal, range));
  },
});
