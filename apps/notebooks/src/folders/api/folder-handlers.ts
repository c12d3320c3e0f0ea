import { loadContract } from '@platform-backend/contract';
import type { FolderFileInput, NotebookFolderServiceHandlers } from '@platform-backend/contract-notebooks';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { listAnswer, requireOperation, wholeUpload, type CallContext } from '@platform-backend/grpc';
import { fileAnswer } from '../../notebooks/api/notebook-files.ts';
import type { CopyDataset } from '../app/copy-dataset.ts';
import type { FolderUseCases } from '../app/folders.ts';
import { fileNotFound } from '../domain/errors.ts';
import type { FolderEntry } from '../domain/folder.ts';

/** Whoever has a dataset copied may have its bytes themselves. */
const READS_DATASETS = 'platform.pipelines.v1.DatasetService/DownloadDataset';

export const folderHandlers = (
  app: FolderUseCases & { readonly copyDataset: CopyDataset },
): NotebookFolderServiceHandlers<CallContext> => ({
  async listFolderFiles({ notebookId, folder, ...page }, context) {
    const found = await app.listFiles(context.organisationId(), notebookId, { ...page, folder: folder ?? undefined });
    return listAnswer('files', found, fileMessage);
  },

  async *getFolderFile({ notebookId, path }, context) {
    const { entry, bytes } = await app.getFile(context.organisationId(), notebookId, path);
    if (entry.kind === 'FOLDER') throw fileNotFound();
    const name = path.split('/').at(-1) ?? path;
    // Never a type that a browser would show: the bytes are a member's.
    yield* fileAnswer(name, 'application/octet-stream', bytes);
  },

  async saveFolderFile(requests, context) {
    const { first, bytes } = await wholeUpload(requests);
    return fileMessage(await app.saveFile(context.actorContext(), first.notebookId, first.path, bytes));
  },

  async copyDataset({ notebookId, path, ...wanted }, context) {
    const by = context.actorContext();
    await app.requireNotebook(by.organisationId, notebookId);
    requireOperation(context.caller, loadContract(pipelinesContract), READS_DATASETS);
    const copy = { ...wanted, path: path ?? undefined };
    const { file, dataset } = await app.copyDataset(by, notebookId, copy, context.signal);
    const { versionId, version } = dataset;
    return { file: fileMessage(file), datasetId: wanted.datasetId, versionId, version };
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
