import type { OpenAiFileInput, OpenAiFileServiceHandlers } from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { inMessages, type CallContext } from '@platform-backend/grpc';
import { attachment } from '@platform-backend/objects';
import type { Document } from '../../documents/domain/document.ts';
import { PURPOSE, type FileUseCases } from '../app/files.ts';

export const fileHandlers = (app: FileUseCases): OpenAiFileServiceHandlers<CallContext> => ({
  async createFile({ file, purpose }, context) {
    requireVisible('body', { file: file.filename });
    return fileMessage(await app.createFile(context.actorContext(), { ...file, purpose }));
  },

  async listFiles(request, context) {
    const { items, hasMore } = await app.listFiles(context.actorContext(), request);
    const [firstId, lastId] = [items[0]?.id ?? null, items.at(-1)?.id ?? null];
    return { object: 'list', data: items.map(fileMessage), firstId, lastId, hasMore };
  },

  getFile: async ({ fileId }, context) => fileMessage(await app.getFile(context.actorContext(), fileId)),

  async deleteFile({ fileId }, context) {
    const { id } = await app.deleteFile(context.actorContext(), fileId);
    return { id, object: 'file', deleted: true };
  },

  async *downloadFileContent({ fileId }, context) {
    const { document, bytes } = await app.readFile(context.actorContext(), fileId, context.signal);
    yield {
      contentType: document.mediaType,
      contentDisposition: attachment(document.name),
      contentLength: document.sizeBytes,
      cacheControl: 'private, no-store',
      chunk: new Uint8Array(),
    };
    yield* inMessages(bytes);
  },
});

const fileMessage = ({ id, name, sizeBytes, createdAt, status, failure }: Document): OpenAiFileInput => ({
  ...{ id, object: 'file', filename: name, bytes: sizeBytes, purpose: PURPOSE },
  createdAt: Math.floor(createdAt.getTime() / 1000),
  status: STATES[status] ?? 'uploaded',
  statusDetails: failure?.message ?? '',
});

/** What is not here yet, or not read, counts as uploaded. */
const STATES: Partial<Record<Document['status'], string>> = {
  READY: 'processed',
  ARCHIVED: 'processed',
  FAILED: 'error',
  EXPIRED: 'error',
};
