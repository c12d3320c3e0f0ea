import type { NotebookInput, NotebookServiceHandlers } from '@platform-backend/contract-notebooks';
import { parseExactJson } from '@platform-backend/core';
import { listAnswer, wholeUpload, type CallContext } from '@platform-backend/grpc';
import type { NotebookUseCases } from '../app/notebooks.ts';
import type { Notebook } from '../domain/notebook.ts';
import { notebookFile, pageFile } from './notebook-files.ts';

/** Of a content that an answer shows, in bytes. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export const notebookHandlers = (app: NotebookUseCases): NotebookServiceHandlers<CallContext> => {
  /** A notebook with its content, as it is after a change. */
  const shown = async (context: CallContext, notebookId: string): Promise<NotebookInput> => {
    const organisationId = context.organisationId();
    const { notebook, text } = await app.getNotebook(organisationId, notebookId);
    return {
      ...notebookMessage(organisationId, notebook),
      content: notebook.sizeBytes > MAX_SHOWN_BYTES ? null : (parseExactJson(text) as NotebookInput['content']),
    };
  };

  return {
    async createNotebook({ name, content }, context) {
      const { id } = await app.createNotebook(context.actorContext(), name, content);
      return shown(context, id);
    },

    async listNotebooks({ name, ...page }, context) {
      const organisationId = context.organisationId();
      const found = await app.listNotebooks(organisationId, { ...page, name: name ?? undefined });
      return listAnswer('notebooks', found, (notebook) => notebookMessage(organisationId, notebook));
    },

    getNotebook: ({ notebookId }, context) => shown(context, notebookId),

    async renameNotebook({ notebookId, name }, context) {
      await app.renameNotebook(context.actorContext(), notebookId, name);
      return shown(context, notebookId);
    },

    async saveNotebook({ notebookId, content, version }, context) {
      await app.saveNotebook(context.actorContext(), notebookId, content, version ?? undefined);
      return shown(context, notebookId);
    },

    async deleteNotebook({ notebookId }, context) {
      const { id } = await app.deleteNotebook(context.actorContext(), notebookId);
      return { id, deleted: true };
    },

    async importNotebook(requests, context) {
      const { first, bytes } = await wholeUpload(requests);
      const { id } = await app.importNotebook(context.actorContext(), first.name, bytes);
      return shown(context, id);
    },

    async saveNotebookFile(requests, context) {
      const { first, bytes } = await wholeUpload(requests);
      await app.saveNotebookFile(context.actorContext(), first.notebookId, bytes, first.version ?? undefined);
      return shown(context, first.notebookId);
    },

    async *exportNotebook({ notebookId }, context) {
      const { notebook, text } = await app.getNotebook(context.organisationId(), notebookId);
      yield* notebookFile(notebook.name, text);
    },

    async *exportNotebookPage({ notebookId }, context) {
      const { notebook, html } = await app.notebookPage(context.organisationId(), notebookId);
      yield* pageFile(notebook.name, html);
    },

    createCheckpoint: ({ notebookId }, context) => app.createCheckpoint(context.actorContext(), notebookId),

    async listCheckpoints({ notebookId, ...page }, context) {
      const found = await app.listCheckpoints(context.organisationId(), notebookId, page);
      return listAnswer('checkpoints', found, (checkpoint) => checkpoint);
    },

    async restoreCheckpoint({ notebookId, checkpointId }, context) {
      await app.restoreCheckpoint(context.actorContext(), notebookId, checkpointId);
      return shown(context, notebookId);
    },

    async deleteCheckpoint({ notebookId, checkpointId }, context) {
      await app.deleteCheckpoint(context.actorContext(), notebookId, checkpointId);
      return { id: checkpointId, deleted: true };
    },
  };
};

const notebookMessage = (organisationId: string, notebook: Notebook): NotebookInput => ({
  ...notebook,
  organisationId,
});
