import type { ContentsCheckpointInput, JupyterContentsServiceHandlers } from '@platform-backend/contract-notebooks';
import { inMessages, wholeUpload, type CallContext } from '@platform-backend/grpc';
import { fileAnswer } from '../../notebooks/api/notebook-files.ts';
import type { ContentsCheckpoint, ContentsUseCases } from '../app/contents.ts';
import { notThisContent } from '../domain/errors.ts';
import { openedJson } from './contents-json.ts';
import { contentsJson, contentsMessage } from './contents-models.ts';

/** What a folder says of itself that has none of its own. */
const BEGINNING = new Date(0);

export const contentsHandlers = (app: ContentsUseCases): JupyterContentsServiceHandlers<CallContext> => ({
  async getContentsFolder({ content }, context) {
    const folder = {
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
    const items = await app.listRoot(context.organisationId());
    return { ...folder, format: 'json', content: items.map(contentsJson) };
  },

  async *getContents({ path, content, type, format }, context) {
    const organisationId = context.organisationId();
    let pieces: readonly Uint8Array[];
    if (content === 0) {
      const model = contentsJson(await app.find(organisationId, path));
      // A notebook is a file as well.
      const types = model.type === 'notebook' ? ['', 'notebook', 'file'] : ['', model.type];
      if (!types.includes(type)) throw notThisContent({ reason: `${path} is no ${type}, but a ${model.type}` });
      pieces = [Buffer.from(JSON.stringify(model))];
    } else {
      const isText = type === 'file' || (type === '' && ['text', 'base64'].includes(format));
      pieces = await openedJson(await app.open(organisationId, path, isText), { type: isText ? 'file' : type, format });
    }
    yield {
      contentType: 'application/json',
      contentLength: pieces.reduce((sum, { length }) => sum + length, 0),
      cacheControl: 'private, no-store',
      chunk: new Uint8Array(),
    };
    yield* inMessages(pieces);
  },

  async *downloadContents({ path }, context) {
    const { name, bytes, isNotebook } = await app.download(context.organisationId(), path);
    // Never a type that a browser would show: the bytes are a member's.
    yield* fileAnswer(name, isNotebook ? 'application/x-ipynb+json' : 'application/octet-stream', bytes);
  },

  createContents: async ({ type, copyFrom }, context) =>
    contentsMessage(await app.create(context.actorContext(), type, copyFrom ?? undefined)),

  createContentsInFolder: async ({ folder, type, ext, copyFrom }, context) =>
    contentsMessage(await app.createIn(context.actorContext(), folder, { type, ext, copyFrom: copyFrom ?? undefined })),

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

const checkpointMessage = ({ id, createdAt }: ContentsCheckpoint): ContentsCheckpointInput => ({
  id,
  lastModified: createdAt,
});
