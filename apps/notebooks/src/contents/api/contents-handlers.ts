import type {
  ContentsCheckpointInput,
  JupyterContentsInput,
  JupyterContentsServiceHandlers,
} from '@platform-backend/contract-notebooks';
import { inMessages, wholeUpload, type CallContext } from '@platform-backend/grpc';
import type { Checkpoint } from '../../notebooks/domain/checkpoint.ts';
import type { Notebook } from '../../notebooks/domain/notebook.ts';
import { pathOf, type ContentsUseCases } from '../app/contents.ts';

/** What a folder says of itself that has none of its own. */
const BEGINNING = new Date(0);

export const contentsHandlers = (app: ContentsUseCases): JupyterContentsServiceHandlers<CallContext> => ({
  async getContentsFolder({ content }, context) {
    const folder: JupyterContentsInput = {
      name: '',
      path: '',
      type: 'directory',
      writable: true,
      created: BEGINNING,
      lastModified: BEGINNING,
      mimetype: null,
      format: null,
      content: null,
      size: null,
    };
    if (content === 0) return folder;
    const notebooks = await app.listFolder(context.organisationId());
    return { ...folder, format: 'json', content: notebooks.map(listed) };
  },

  async *getContents({ path, content }, context) {
    const { notebook, text } = await app.read(context.organisationId(), path);
    const model = content === 0 ? listed(notebook) : { ...listed(notebook), format: 'json' };
    // The text of the content stands as it is kept: reading it would take long, and change its numbers.
    const json = Buffer.from(
      content === 0
        ? JSON.stringify(model)
        : JSON.stringify(model).replace('"content":null', () => `"content":${text}`),
    );
    yield {
      contentType: 'application/json',
      contentLength: json.length,
      cacheControl: 'private, no-store',
      chunk: new Uint8Array(),
    };
    yield* inMessages([json]);
  },

  createContents: async ({ type, copyFrom }, context) =>
    contentsMessage(await app.create(context.actorContext(), type, copyFrom ?? undefined)),

  async saveContents(requests, context) {
    const { first, bytes } = await wholeUpload(requests);
    return contentsMessage(await app.save(context.actorContext(), first.path, bytes));
  },

  renameContents: async ({ fromPath, path }, context) =>
    contentsMessage(await app.rename(context.actorContext(), fromPath, path)),

  async deleteContents({ path }, context) {
    await app.remove(context.actorContext(), path);
    return {};
  },

  async listContentsCheckpoints({ path }, context) {
    const checkpoints = await app.listCheckpoints(context.organisationId(), path);
    return { checkpoints: checkpoints.map(checkpointMessage) };
  },

  createContentsCheckpoint: async ({ path }, context) =>
    checkpointMessage(await app.createCheckpoint(context.actorContext(), path)),

  async restoreContentsCheckpoint({ path, checkpointId }, context) {
    await app.restoreCheckpoint(context.actorContext(), path, checkpointId);
    return {};
  },

  async deleteContentsCheckpoint({ path, checkpointId }, context) {
    await app.deleteCheckpoint(context.actorContext(), path, checkpointId);
    return {};
  },
});

const contentsMessage = (notebook: Notebook): JupyterContentsInput => ({
  name: pathOf(notebook),
  path: pathOf(notebook),
  type: 'notebook',
  writable: true,
  created: notebook.createdAt,
  lastModified: notebook.updatedAt,
  mimetype: null,
  format: null,
  content: null,
  size: notebook.sizeBytes,
});

/** In the content of a folder, which is free JSON, with the names that it has there. */
const listed = (notebook: Notebook) => ({
  name: pathOf(notebook),
  path: pathOf(notebook),
  type: 'notebook',
  writable: true,
  created: notebook.createdAt.toISOString(),
  last_modified: notebook.updatedAt.toISOString(),
  mimetype: null,
  format: null,
  content: null,
  size: notebook.sizeBytes,
});

const checkpointMessage = ({ id, createdAt }: Checkpoint): ContentsCheckpointInput => ({ id, lastModified: createdAt });
