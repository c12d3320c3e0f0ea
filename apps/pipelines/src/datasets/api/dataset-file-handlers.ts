import type { DatasetFileServiceHandlers } from '@platform-backend/contract-pipelines';
import { inMessages, openUpload, type CallContext } from '@platform-backend/grpc';
import type { FileTransfers } from '@platform-backend/objects';

export const datasetFileHandlers = (app: FileTransfers): DatasetFileServiceHandlers<CallContext> => ({
  async uploadDatasetFile(requests, context) {
    const { first, body } = await openUpload(requests);
    const { ticket, contentType, contentLength } = first;
    const head = { contentType, ...(contentLength !== null && { bytes: Number(contentLength) }) };
    const { bytes, checksum } = await app.uploadFile(ticket, head, body, context.requestId);
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
    yield* inMessages(await read(signal));
  },
});
