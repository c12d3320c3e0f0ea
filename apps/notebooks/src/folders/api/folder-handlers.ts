import type { FolderFileInput, NotebookFolderServiceHandlers } from '@platform-backend/contract-notebooks';
import { inMessages, listAnswer, wholeUpload, type CallContext } from '@platform-backend/grpc';
import type { FolderUseCases } from '../app/folders.ts';
import { fileNotFound } from '../domain/errors.ts';
import type { FolderEntry } from '../domain/folder.ts';

export const folderHandlers = (app: FolderUseCases): NotebookFolderServiceHandlers<CallContext> => ({
  async listFolderFiles({ notebookId, folder, ...page }, context) {
    const found = await app.listFiles(context.organisationId(), notebookId, { ...page, folder: folder ?? undefined });
    return listAnswer('files', found, fileMessage);
  },

  async *getFolderFile({ notebookId, path }, context) {
    const { entry, bytes } = await app.getFile(context.organisationId(), notebookId, path);
    if (entry.kind === 'FOLDER') throw fileNotFound();
    const name = path.split('/').at(-1) ?? path;
    yield {
      // Never a type that a browser would show: the bytes are a member's.
      contentType: 'application/octet-stream',
      contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
      contentLength: bytes.length,
      cacheControl: 'private, no-store',
      chunk: new Uint8Array(),
    };
    yield* inMessages([bytes]);
  },

  async saveFolderFile(requests, context) {
    const { first, bytes } = await wholeUpload(requests);
    return fileMessage(await app.saveFile(context.actorContext(), first.notebookId, first.path, bytes));
  },

  async deleteFolderFile({ notebookId, path }, context) {
    await app.removeFile(context.actorContext(), notebookId, path);
    return { path, deleted: true };
  },
});

const fileMessage = ({ path, kind, sizeBytes, updatedAt }: FolderEntry): FolderFileInput => ({
  path,
  kind,
  sizeBytes,
  updatedAt,
});
