import type {
  PipelineServiceHandlers,
  RunEventInput,
  RunLogEventInput,
  RunServiceHandlers,
  RunStepDetailsInput,
} from '@platform-backend/contract-pipelines';
import { idOf, newId, type Revision } from '@platform-backend/core';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { Payer } from '../../credits/domain/credits.ts';
import { tagsOf } from '../../pipelines/domain/tags.ts';
import type { RunUseCases, ShownRun, ToldRun } from '../app/runs.ts';
import { childRunIds } from '../domain/child-run.ts';
import { isStepOver, type Run, type RunStep } from '../domain/run.ts';
import type { StoredLogLine } from '../domain/runs.ts';
import type { WorkflowSettings } from '../domain/workflow-manifest.ts';
import { basicRunMessage, runMessage, stepMessages } from './run-messages.ts';

/** What PipelineService has of runs. */
export const pipelineRunHandlers = (
  app: Pick<RunUseCases, 'list'>,
  workflow: WorkflowSettings,
): Pick<PipelineServiceHandlers<CallContext>, 'listPipelineRuns'> => ({
  async listPipelineRuns(
    { pipelineId, status, trigger, tags, versionId, backfillId, createdAfter, createdBefore, order, view, ...page },
    context,
  ) {
    const filter = {
      statuses: status,
      triggers: trigger,
      tags: tagsOf(tags),
      order,
      ...(versionId && { versionId }),
      ...(backfillId && { backfillId }),
      ...(createdAfter && { createdAfter }),
      ...(createdBefore && { createdBefore }),
    };
    const found = await app.list(context.organisationId(), pipelineId, filter, page);
    return listAnswer('runs', found, (run) => (view === 'BASIC' ? basicRunMessage(run) : runMessage(run, workflow)));
  },
});

export function runHandlers(app: RunUseCases, workflow: WorkflowSettings): RunServiceHandlers<CallContext> {
  const message = (run: ShownRun | ToldRun) => runMessage(run, workflow, run);
  return {
    async startRun({ pipelineId, versionId, tags, parameters: given, idempotencyKey }, context) {
      const payer = payerOf(context);
      const runId = runIdOf(payer, idempotencyKey);
      const parameters = given as Run['parameters'];
      const wanted = {
        runId,
        pipelineId,
        versionId: versionId ?? undefined,
        trigger: 'API',
        tags,
        parameters,
      } as const;
      return message(await app.start(payer, wanted));
    },

    async startTaskRun({ pipelineId, taskId, userId, permissionLevel, clientGroupId }, context) {
      const by = context.actorContext();
      const actor = { ...by.actor, userId, level: permissionLevel };
      const payer = { ...by, actor, clientGroupId: clientGroupId === '' ? undefined : clientGroupId };
      const runId = idOf(['run', by.organisationId, 'task', taskId]);
      return message(await app.start(payer, { runId, pipelineId, trigger: 'TASK' }));
    },

    getRun: async ({ pipelineId, runId }, context) =>
      message(await app.get(context.organisationId(), pipelineId, runId)),

    cancelRun: async ({ pipelineId, runId }, context) =>
      message(await app.cancel(context.actorContext(), pipelineId, runId)),

    async retryRun({ pipelineId, runId, fromStep, idempotencyKey }, context) {
      const payer = payerOf(context);
      const id = runIdOf(payer, idempotencyKey);
      return message(await app.retry(payer, { pipelineId, failedId: runId, id, fromStep: fromStep ?? undefined }));
    },

    async listRunSteps({ pipelineId, runId }, context) {
      const organisationId = context.organisationId();
      const { run, version } = await app.get(organisationId, pipelineId, runId);
      const idsOf = (step: RunStep, stepIndex: number) =>
        hasChild(step) ? childRunIds({ organisationId, runId, stepIndex, attempt: step.attempt }, step) : [];
      const several = run.steps.flatMap((step, stepIndex) => (step.forEach ? idsOf(step, stepIndex) : []));
      const statuses = await app.statusesOf(organisationId, several);
      return {
        steps: run.steps.map((step, stepIndex) => {
          const { query = '', forEach = null } = version.steps[stepIndex]?.config ?? {};
          const children = idsOf(step, stepIndex).map((id) => ({ pipelineId: query, runId: id }));
          return {
            ...stepDetails(step),
            childRun: forEach ? null : (children[0] ?? null),
            childRuns: children.flatMap((child, index) => {
              const status = forEach ? statuses.get(child.runId) : undefined;
              return status ? [{ value: forEach?.values[index] ?? null, run: child, status }] : [];
            }),
          };
        }),
      };
    },

    async listRunLogs({ pipelineId, runId, step, ...page }, context) {
      const found = await app.listLog(context.organisationId(), pipelineId, runId, { step }, page);
      return listAnswer('lines', found.page, (line) => lineMessage(found.run, line));
    },

    async *followRunLogs({ pipelineId, runId, step, lastEventId }, context) {
      if (lastEventId === FINISHED) return;
      const after = /^\d{1,18}$/.test(lastEventId) ? lastEventId : '0';
      const pieces = app.followLog(context.organisationId(), pipelineId, runId, {
        step,
        after,
        signal: context.signal,
      });
      for await (const { run, lines, isLast } of pieces) {
        for (const line of lines) yield lineEvent(run, line);
        if (isLast) yield { eventId: FINISHED, event: 'finished', data: { status: run.status } };
      }
    },

    async *watchRun({ pipelineId, runId, lastEventId }, context) {
      const reader = { known: lastEventId, signal: context.signal };
      for await (const told of app.watch(context.organisationId(), pipelineId, runId, reader)) yield runEvent(told);
    },
  };
}

/** The id of the event after which there is nothing more. */
const FINISHED = 'finished';

/** The same for every repetition of a request with a key. */
const runIdOf = ({ organisationId, actor }: Payer, key: string): string =>
  key === '' ? newId() : idOf(['run', organisationId, actor.type, actor.id, key]);

/** One that is skipped begins, and starts none. */
const hasChild = ({ startsRun, attempt, kept, status }: RunStep): boolean =>
  startsRun && attempt > 0 && !kept && status !== 'Skipped';

const stepDetails = ({ attempt, ...step }: RunStep): Omit<RunStepDetailsInput, 'childRun' | 'childRuns'> => ({
  name: step.name,
  status: step.status,
  jobType: step.jobType,
  startedAt: step.startedAt,
  finishedAt: step.finishedAt,
  attempts: attempt,
  message: step.message,
  inputVersionIds: step.inputVersionIds,
  outputs: step.outputs.map(({ name, datasetId, datasetVersionId, rows, bytes }) => ({
    ...{ name, datasetId, datasetVersionId },
    rows: String(rows),
    bytes: String(bytes),
  })),
  failedRows: step.failedRows as RunStepDetailsInput['failedRows'],
  kept: step.kept,
  errorCode: step.errorCode,
  nextAttemptAt: step.status === 'Pending' ? step.notBefore : null,
});

const lineMessage = (run: Run, { id, stepIndex, attempt, createdAt, text }: StoredLogLine) => ({
  id,
  step: run.steps[stepIndex]?.name ?? '',
  attempt,
  createdAt,
  text,
});

const lineEvent = (run: Run, line: StoredLogLine): RunLogEventInput => ({
  eventId: line.id,
  event: 'line',
  data: { line: lineMessage(run, line), status: run.status },
});

const runEvent = ({ revision, state: { run, queuePosition, message }, isLast }: Revision<ShownRun>): RunEventInput => ({
  eventId: revision,
  event: isLast ? 'finished' : 'run',
  data: {
    runId: run.id,
    status: run.status,
    message,
    progress: run.steps.length === 0 ? 1 : run.steps.filter(isStepOver).length / run.steps.length,
    runSteps: stepMessages(run),
    queuePosition,
  },
});
