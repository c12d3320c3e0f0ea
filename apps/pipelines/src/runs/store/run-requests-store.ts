import { newId, type ActorContext } from '@platform-backend/core';
import { untilFirst, type Database, type Knex } from '@platform-backend/postgres';
import type { PipelineOverlap } from '../../pipelines/domain/pipeline.ts';
import type { OnDue } from '../../schedules/store/schedules-store.ts';
import { overlapDecision, type ScheduledBefore } from '../domain/overlap.ts';
import type { RunRequest, RunRequests, TakenRequest } from '../domain/run-requests.ts';
import type { RunTrigger } from '../domain/run.ts';

interface RequestRow {
  id: string;
  organisation_id: string;
  pipeline_id: string;
  trigger: RunTrigger;
  event_chain: string[];
  cancels_others: boolean;
  requested_at: Date;
  look_at: Date;
  attempts: number;
  request_id: string | null;
  taken_at: Date | null;
}

/** Notes down that a pipeline shall run, in the transaction of what leads to it. What an event asks for already, the index refuses. */
async function requestRun(
  trx: Knex.Transaction,
  by: ActorContext,
  wanted: Omit<RunRequest, 'organisationId'>,
  at: Date,
) {
  await trx<RequestRow>('run_requests')
    .insert({
      id: wanted.id,
      organisation_id: by.organisationId,
      pipeline_id: wanted.pipelineId,
      trigger: wanted.trigger,
      event_chain: [...wanted.eventChain],
      cancels_others: wanted.cancelsOthers,
      requested_at: at,
      look_at: at,
      request_id: by.requestId,
    })
    .onConflict()
    .ignore();
}

/** A pipeline that is due runs under an id of its own, as far as its policy lets it beside what its schedule has started before. */
export const onPipelineDue: OnDue = async (trx, by, { ownerId: pipelineId, dueAt }) => {
  const { policy, ...before } = await scheduledBefore(trx, by.organisationId, pipelineId);
  const decision = overlapDecision(policy, before);
  if (decision === 'SKIP') return;
  const cancelsOthers = decision === 'START_AND_CANCEL_OTHERS';
  await requestRun(trx, by, { id: newId(), pipelineId, trigger: 'SCHEDULE', eventChain: [], cancelsOthers }, dueAt);
};

async function scheduledBefore(
  trx: Knex.Transaction,
  organisationId: string,
  pipelineId: string,
): Promise<ScheduledBefore & { readonly policy: PipelineOverlap }> {
  const own = `organisation_id = :organisationId AND pipeline_id = :pipelineId AND trigger = 'SCHEDULE'`;
  const { rows } = await trx.raw<{ rows: [ScheduledBefore & { readonly policy: PipelineOverlap }] }>(
    `SELECT overlap AS policy,
            EXISTS (SELECT FROM run_requests WHERE ${own}) AS "isRequested",
            EXISTS (SELECT FROM runs WHERE ${own} AND admitted_at IS NULL AND finished_at IS NULL) AS "isWaiting",
            EXISTS (SELECT FROM runs WHERE ${own} AND admitted_at IS NOT NULL AND finished_at IS NULL) AS "isGoingOn"
     FROM pipelines WHERE organisation_id = :organisationId AND id = :pipelineId`,
    { organisationId, pipelineId },
  );
  return rows[0];
}

/**
 * Has those pipelines run that read a dataset and want to with new data of it, unless the data comes of a run of their own, through
 * whichever other pipelines. A run that waits reads what is there once it goes on: there need not be another one.
 */
export async function requestRunsOnNewData(
  trx: Knex.Transaction,
  by: ActorContext,
  dataset: { readonly id: string; readonly name: string; readonly madeByRun: string | null },
  wanted: { readonly newId: (pipelineId: string) => string; readonly at: Date },
): Promise<void> {
  const { organisationId } = by;
  const eventChain = await eventChainBehind(trx, organisationId, dataset.madeByRun);
  const references = [dataset.id, dataset.name.toLowerCase()];
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT pipelines.id FROM pipelines JOIN pipeline_versions ON pipeline_versions.id = pipelines.current_version_id
     WHERE pipelines.organisation_id = :organisationId AND runs_on_new_data AND NOT archived
       AND EXISTS (SELECT FROM jsonb_array_elements(steps) AS step, jsonb_array_elements_text(step -> 'config' -> 'inputDatasets') AS input
                   WHERE lower(input) = ANY (:references::text[]))
       AND NOT EXISTS (SELECT FROM jsonb_array_elements(steps) AS step, jsonb_array_elements_text(step -> 'config' -> 'outputDatasets') AS output
                       WHERE lower(output) = ANY (:references::text[]))
       AND pipelines.id <> ALL (:eventChain::uuid[])
       AND NOT EXISTS (SELECT FROM runs
                       WHERE runs.organisation_id = :organisationId AND runs.pipeline_id = pipelines.id AND trigger = 'EVENT'
                         AND admitted_at IS NULL AND finished_at IS NULL AND event_chain <@ :eventChain::uuid[])
     LIMIT 1000`,
    { organisationId, references, eventChain },
  );
  for (const { id: pipelineId } of rows) {
    const request = {
      id: wanted.newId(pipelineId),
      pipelineId,
      trigger: 'EVENT',
      eventChain,
      cancelsOthers: false,
    } as const;
    await requestRun(trx, by, request, wanted.at);
  }
}

/** The pipelines that have led to what this run made, its own the last; none where no run has made it. */
async function eventChainBehind(
  trx: Knex.Transaction,
  organisationId: string,
  runId: string | null,
): Promise<string[]> {
  if (runId === null) return [];
  const { rows } = await trx.raw<{ rows: { chain: string[] }[] }>(
    'SELECT array_append(event_chain, pipeline_id) AS chain FROM runs WHERE organisation_id = ? AND id = ?',
    [organisationId, runId],
  );
  return rows[0]?.chain ?? [];
}

/** Requests for runs in PostgreSQL. */
export const runRequestsStore = (database: Database): RunRequests => ({
  untilDue: (at) => untilFirst(database, { table: 'run_requests', column: 'look_at', settings: SWEEP }, at),

  async take(at, limit) {
    const due = await database.systemStatement<RequestRow>(dueInTurn, [at, limit], SWEEP);
    const taken = await Promise.all(
      due.map((row) =>
        database.tenant(row.organisation_id, async (trx) => {
          const own = await trx<RequestRow>('run_requests')
            .where({ organisation_id: row.organisation_id, id: row.id, look_at: row.look_at })
            .update({
              look_at: new Date(at.getTime() + againAfterMs(row.attempts)),
              taken_at: at,
              attempts: row.attempts + 1,
            });
          return own === 1 ? [requestOf(row)] : [];
        }),
      ),
    );
    return taken.flat();
  },

  done: ({ organisationId, id }) =>
    database.tenant(organisationId, async (trx) => {
      await trx<RequestRow>('run_requests').where({ organisation_id: organisationId, id }).delete();
    }),

  postpone: ({ organisationId, id }) =>
    database.tenant(organisationId, async (trx) => {
      // What has been asked for meanwhile asks for the same.
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `DELETE FROM run_requests AS own WHERE organisation_id = ? AND id = ? AND trigger = 'EVENT' AND EXISTS (
           SELECT FROM run_requests AS other
           WHERE other.pipeline_id = own.pipeline_id AND other.event_chain = own.event_chain AND other.trigger = 'EVENT'
             AND other.taken_at IS NULL AND other.id <> own.id)`,
        [organisationId, id],
      );
      if (rowCount > 0) return;
      await trx<RequestRow>('run_requests').where({ organisation_id: organisationId, id }).update({ taken_at: null });
    }),
});

/** Opens those of all organisations. */
const SWEEP = { 'app.sweep': 'run_requests' };

const AGAIN_AFTER_MS = 30_000;
const MAX_AGAIN_AFTER_MS = 300_000;

const againAfterMs = (attempts: number): number => Math.min(AGAIN_AFTER_MS * 2 ** attempts, MAX_AGAIN_AFTER_MS);

/** As `dueItems` of task templates: first of each organisation what waits longest, then of each the next. */
const dueInTurn = {
  name: 'due-run-requests',
  text: `
  WITH RECURSIVE organisations AS (
    (SELECT organisation_id FROM run_requests ORDER BY organisation_id LIMIT 1)
    UNION ALL
    SELECT next.organisation_id FROM organisations, LATERAL (
      SELECT organisation_id FROM run_requests WHERE organisation_id > organisations.organisation_id
      ORDER BY organisation_id LIMIT 1
    ) AS next
  )
  SELECT due.* FROM organisations, LATERAL (
    SELECT *, row_number() OVER (ORDER BY look_at, id) AS round FROM run_requests AS items
    WHERE items.organisation_id = organisations.organisation_id AND look_at <= $1
    ORDER BY look_at, id LIMIT $2
  ) AS due
  ORDER BY round, look_at, id LIMIT $2`,
};

const requestOf = (row: RequestRow): TakenRequest => ({
  id: row.id,
  organisationId: row.organisation_id,
  pipelineId: row.pipeline_id,
  trigger: row.trigger,
  eventChain: row.event_chain,
  cancelsOthers: row.cancels_others,
  requestedAt: row.requested_at,
  attempts: row.attempts + 1,
  requestId: row.request_id ?? row.id,
});
