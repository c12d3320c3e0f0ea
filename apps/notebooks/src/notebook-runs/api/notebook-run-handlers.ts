import type { NotebookRunInput, NotebookRunServiceHandlers } from '@platform-backend/contract-notebooks';
import { idOf, newId, type ActorContext } from '@platform-backend/core';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../kernels/api/payer.ts';
import { notebookFile, pageFile } from '../../notebooks/api/notebook-files.ts';
import type { NotebookRunUseCases } from '../app/notebook-runs.ts';
import type { NotebookRun } from '../domain/notebook-run.ts';

export const notebookRunHandlers = (app: NotebookRunUseCases): NotebookRunServiceHandlers<CallContext> => ({
  async startNotebookRun({ idempotencyKey, ...wanted }, context) {
    const by = payerOf(context);
    return runMessage(await app.startRun(by, { ...wanted, runId: runIdOf(by, idempotencyKey) }));
  },

  async listNotebookRuns({ notebookId, ...page }, context) {
    return listAnswer('runs', await app.listRuns(context.organisationId(), notebookId, page), runMessage);
  },

  getNotebookRun: async ({ notebookId, runId }, context) =>
    runMessage(await app.getRun(context.organisationId(), notebookId, runId)),

  cancelNotebookRun: async ({ notebookId, runId }, context) =>
    runMessage(await app.cancelRun(context.actorContext(), notebookId, runId)),

  async *watchNotebookRun({ notebookId, runId, lastEventId }, context) {
    const watched = { organisationId: context.organisationId(), notebookId, runId, known: lastEventId };
    for await (const { revision, state, isLast } of app.watchRun({ ...watched, signal: context.signal })) {
      yield { eventId: revision, event: isLast ? 'finished' : 'run', data: runMessage(state) };
    }
  },

  async *exportNotebookRun({ notebookId, runId }, context) {
    const { name, text } = await app.resultOf(context.organisationId(), notebookId, runId);
    yield* notebookFile(name, text);
  },

  async *exportNotebookRunPage({ notebookId, runId }, context) {
    const { name, html } = await app.resultPage(context.organisationId(), notebookId, runId);
    yield* pageFile(name, html);
  },
});

/** The same caller's same key is the same run. */
const runIdOf = ({ organisationId, actor }: ActorContext, key: string): string =>
  key === '' ? newId() : idOf(['notebook run', organisationId, actor.type, actor.id, key]);

const runMessage = (run: NotebookRun): NotebookRunInput => run;
