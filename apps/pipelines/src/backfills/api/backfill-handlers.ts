import type { BackfillInput, BackfillServiceHandlers } from '@platform-backend/contract-pipelines';
import { idOf, newId } from '@platform-backend/core';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { BackfillUseCases } from '../app/backfills.ts';
import type { CountedBackfill } from '../domain/backfills.ts';

export const backfillHandlers = (app: BackfillUseCases): BackfillServiceHandlers<CallContext> => ({
  async startBackfill({ idempotencyKey, versionId, values, range, parameters, ...wanted }, context) {
    const payer = payerOf(context);
    const { organisationId, actor } = payer;
    const id =
      idempotencyKey === '' ? newId() : idOf(['backfill', organisationId, actor.type, actor.id, idempotencyKey]);
    const started = await app.start(payer, {
      ...{ ...wanted, id, versionId: versionId ?? undefined },
      values,
      range: range && { first: range.first as Cell, last: range.last as Cell, step: range.step },
      parameters,
    });
    return backfillMessage(started);
  },

  listBackfills: async ({ pipelineId, status, ...page }, context) =>
    listAnswer('backfills', await app.list(context.organisationId(), pipelineId, status, page), backfillMessage),

  getBackfill: async ({ pipelineId, backfillId }, context) =>
    backfillMessage(await app.get(context.organisationId(), pipelineId, backfillId)),

  cancelBackfill: async ({ pipelineId, backfillId }, context) =>
    backfillMessage(await app.cancel(context.actorContext(), pipelineId, backfillId)),
});

const backfillMessage = ({ backfill, total, runs }: CountedBackfill): BackfillInput => ({
  id: backfill.id,
  pipelineId: backfill.pipelineId,
  versionId: backfill.versionId,
  status: backfill.status,
  parameter: backfill.parameter,
  values: backfill.values,
  parameters: backfill.parameters,
  maxConcurrentRuns: backfill.maxConcurrentRuns,
  message: backfill.message,
  totalRuns: total,
  startedRuns: backfill.startedRuns,
  succeededRuns: runs.succeeded,
  failedRuns: runs.failed,
  cancelledRuns: runs.cancelled,
  createdAt: backfill.createdAt,
  finishedAt: backfill.finishedAt,
});
