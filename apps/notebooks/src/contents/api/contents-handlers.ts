import type {
  ContentsCheckpointInput,
  JupyterContentsInput,
  JupyterContentsServiceHandlers,
} from '@platform-backend/contract-notebooks';
import { parseExactJson } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import type { Checkpoint } from '../../notebooks/domain/checkpoint.ts';
import type { Notebook } from '../../notebooks/domain/notebook.ts';
import { pathOf, type ContentsUseCases } from '../app/contents.ts';
import { notebookTooLarge } from '../domain/errors.ts';

/** Of a content that an answer shows, in bytes. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
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

  async getContents({ path, content }, context) {
    const { notebook, text } = await app.read(context.organisationId(), path);
    if (content === 0) return contentsMessage(notebook);
    if (notebook.sizeBytes > MAX_SHOWN_BYTES) throw notebookTooLarge();
    const read = parseExactJson(text) as JupyterContentsInput['content'];
    return { ...contentsMessage(notebook), format: 'json', content: read };
  },

  createContents: async ({ type, copyFrom }, context) =>
    contentsMessage(await app.create(context.actorContext(), type, copyFrom ?? undefined)),

  saveContents: async ({ path, content }, context) =>
    contentsMessage(await app.save(context.actorContext(), path, content)),

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
