import { DomainError, notFound, type ActorContext, type Clock, type Decision } from '@platform/core';
import { outgoingEvents, type Event } from '@platform/events';
import { appendToOutbox, countOf, listPage, type Database, type Knex } from '@platform/postgres';
import type { RunOutput as DatasetOutput } from '../domain/datasets/datasets.ts';
import type { PipelinesEvent } from '../domain/pipelines-event.ts';
import { admitted, type WaitingRun } from '../domain/runs/admission.ts';
import { finishStep, isPresent, type StepEnd } from '../domain/runs/change-run.ts';
import type { ReportedEnd, StepAttempt } from '../domain/runs/run-engine.ts';
import { FINAL, isOver, type Run, type RunOutput } from '../domain/runs/run.ts';
import type { Changed, DecideRun, RunFilter, Runs, WholeRun } from '../domain/runs/runs.ts';
import { inBatches } from './in-batches.ts';
import { versionColumns, type CountScheduledRuns } from './pipelines-store.ts';
import { appendLog, listLog, logAfter } from './run-log-rows.ts';
import { runColumns, updateRuns } from './run-rows.ts';

/** What a step has made, as versions of datasets; part of the transaction that ends the step. */
export type RecordOutputs = (
  trx: Knex.Transaction,
  by: ActorContext,
  outputs: readonly DatasetOutput[],
  at: Date,
) => Promise<readonly RunOutput[]>;

export interface RunsStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly recordOutputs: RecordOutputs;
  readonly countScheduledRuns: CountScheduledRuns;
  /** So many runs of an organisation go on at the same time. */
  readonly mostOfOrganisation: number;
}

/** One thing to do about a run, in a transaction that may be others' as well. */
interface Item {
  readonly by: ActorContext;
  readonly runId: string;
  /** A new run. */
  readonly added?: { readonly decision: Decision<Run, PipelinesEvent>; readonly charge: bigint };
  readonly decide?: (run: Run, trx: Knex.Transaction) => Promise<Decision<Run, PipelinesEvent, unknown>>;
  readonly resolve: (changed: Changed<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** Enough to carry many small changes, and few enough that none waits long for the others. */
const MOST_OF_BATCH = 64;

const outgoing = outgoingEvents('pipelines');

/** Runs in PostgreSQL. */
export function runsStore(options: RunsStoreOptions): Runs {
  const { database, clock, recordOutputs, countScheduledRuns, mostOfOrganisation } = options;
  const put = inBatches<Item>(async (organisationId, items) => {
    try {
      await together(organisationId, items);
    } catch (error) {
      // One of them is to blame, and the others shall not suffer for it.
      if (items.length === 1) items[0]?.reject(error);
      else
        for (const item of items)
          await together(organisationId, [item]).catch((reason: unknown) => item.reject(reason));
    }
  }, MOST_OF_BATCH);

  const ask = <Result>(organisationId: string, item: Omit<Item, 'resolve' | 'reject'>): Promise<Changed<Result>> =>
    new Promise((resolve, reject) => {
      put(organisationId, { ...item, resolve: resolve as Item['resolve'], reject });
    });

  async function together(organisationId: string, items: readonly Item[]): Promise<void> {
    const { outcomes, places } = await database.tenant(organisationId, async (trx) => {
      const before = await lockRuns(trx, organisationId, items);
      const after = new Map(before);
      const fresh = new Map<string, bigint>();
      const events: Event[] = [];
      const outcomes: (() => unknown)[] = [];
      for (const { by, runId, added, decide } of items) {
        try {
          const present = after.get(runId);
          if (added && present) {
            outcomes.push(() => present);
            continue;
          }
          if (!added && !present) throw notFound('Pipeline run');
          const decision = added ? added.decision : await decide?.(present as Run, trx);
          if (!decision) continue;
          if (added) fresh.set(runId, added.charge);
          if (!Object.is(decision.state, present)) after.set(runId, decision.state);
          events.push(...outgoing(by, decision.events));
          outcomes.push(() => decision.result);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          outcomes.push(() => {
            throw error;
          });
        }
      }
      await appendToOutbox(trx, events);
      const at = clock.now();
      const changed = [...after].filter(([id, run]) => !fresh.has(id) && run !== before.get(id)).map(([, run]) => run);
      const next = changed.map((run) => ({ ...run, changes: run.changes + 1 }));
      if (next.length > 0) await updateRuns(trx, organisationId, next, at);
      await insertRuns(
        trx,
        organisationId,
        [...fresh].map(([id, charge]) => ({ run: after.get(id) as Run, charge })),
      );
      const counted = [...after.values()].filter((run) => isOfSchedule(run) && run !== before.get(run.id));
      if (counted.length > 0) await countScheduledRuns(trx, organisationId, counted, at);
      const mayAdmit = fresh.size > 0 || next.some(isOver);
      return { outcomes, places: mayAdmit ? await admitRuns(trx, organisationId, mostOfOrganisation, at) : [] };
    });
    for (const [index, item] of items.entries()) {
      try {
        // Told once: whoever is first submits them.
        item.resolve({ result: outcomes[index]?.(), admitted: index === 0 ? places : [] });
      } catch (error) {
        item.reject(error);
        if (index === 0 && places.length > 0) items[1]?.resolve({ result: outcomes[1]?.(), admitted: places });
      }
    }
  }

  return {
    add: (by, decision, charge) =>
      ask<Run>(by.organisationId, { by, runId: decision.state.id, added: { decision, charge } }),

    change: <Result>(by: ActorContext, runId: string, decide: DecideRun<Result>) =>
      ask<Result>(by.organisationId, { by, runId, decide: (run) => Promise.resolve(decide(run)) }),

    finishStep: <Result>(by: ActorContext, { at, end, when }: FinishedStep, then: DecideRun<Result>) =>
      ask<Result>(by.organisationId, {
        by,
        runId: at.runId,
        decide: async (run, trx) => {
          const known = await withOutputs(run, at, end, (outputs) => recordOutputs(trx, by, outputs, when));
          const finished = finishStep(run, { ...at, end: known, at: when });
          const next = then(finished.state);
          return { ...next, events: [...finished.events, ...next.events] };
        },
      }),

    async find(organisationId, runId) {
      const [row] = await database.statement<object>(organisationId, oneRun, [organisationId, runId]);
      return row && runColumns.read(row);
    },

    async get(organisationId, pipelineId, runId) {
      const values = [organisationId, pipelineId, runId];
      const [row] = await database.statement<WholeRow>(organisationId, oneWholeRun, values);
      if (!row) throw notFound('Pipeline run');
      return wholeRunOf(row);
    },

    list: (organisationId, pipelineId, filter, page) =>
      database.tenant(organisationId, async (trx) => {
        const named = { organisation_id: organisationId, id: pipelineId };
        if (!(await trx('pipelines').where(named).first('id'))) throw notFound('Pipeline');
        return listPage(runsLike(wholeRuns(trx, organisationId, pipelineId), filter), page, {
          order: filter.order,
          columns: { createdAt: 'runs.created_at', id: 'runs.id' },
          read: (rows: readonly WholeRow[]) => rows.map(wholeRunOf),
        });
      }),

    queuePosition: (organisationId, { createdAt, id }) =>
      database.tenant(organisationId, (trx) =>
        countOf(
          trx('runs')
            .where({ organisation_id: organisationId, admitted_at: null, finished_at: null })
            .whereRaw('(created_at, id) <= (?, ?)', [createdAt, id]),
        ),
      ),

    appendLog: (at, lines) => database.tenant(at.organisationId, (trx) => appendLog(trx, at, lines)),
    listLog: (organisationId, runId, place, page) =>
      database.tenant(organisationId, (trx) => listLog(trx, { organisationId, runId, place }, page)),
    logAfter: (organisationId, runId, place, after, limit) =>
      database.tenant(organisationId, (trx) => logAfter(trx, { organisationId, runId, place }, after, limit)),

    chargeOf: (organisationId, runId) =>
      database.tenant(organisationId, async (trx) => {
        const row = await trx('runs')
          .where({ organisation_id: organisationId, id: runId, charge_state: 'OPEN' })
          .first<{ charge_micros: string } | undefined>('charge_micros');
        return row && BigInt(row.charge_micros);
      }),
    setChargeState: (organisationId, runId, state) =>
      database.tenant(organisationId, async (trx) => {
        await trx('runs').where({ organisation_id: organisationId, id: runId }).update({ charge_state: state });
      }),
  };
}

type FinishedStep = Parameters<Runs['finishStep']>[1];

/** The end of an attempt with what it made as versions of datasets, which they become only while it counts. */
async function withOutputs(
  run: Run,
  { place, attempt }: StepAttempt,
  end: ReportedEnd,
  record: (outputs: readonly DatasetOutput[]) => Promise<readonly RunOutput[]>,
): Promise<StepEnd> {
  if (end.outcome !== 'SUCCEEDED') return end;
  const { made, ...facts } = end;
  const counts = isPresent(run, place, attempt) && run.status !== 'Cancelling';
  if (!counts || made.length === 0) return { ...facts, outputs: [] };
  const { inputVersionIds } = facts;
  const step = run.steps[place]?.name ?? '';
  return {
    ...facts,
    outputs: await record(made.map((output) => ({ ...output, runId: run.id, step, inputVersionIds }))),
  };
}

/** In the order of their ids, as everybody locks them. */
async function lockRuns(trx: Knex.Transaction, organisationId: string, items: readonly Item[]) {
  const ids = [...new Set(items.map(({ runId }) => runId))];
  const rows = await trx('runs')
    .where({ organisation_id: organisationId })
    .whereIn('id', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .select<{ id: string }[]>(runColumns.names);
  return new Map(rows.map((row) => [row.id, runColumns.read(row)]));
}

async function insertRuns(
  trx: Knex.Transaction,
  organisationId: string,
  added: readonly { readonly run: Run; readonly charge: bigint }[],
): Promise<void> {
  if (added.length === 0) return;
  await trx('runs').insert(
    added.map(({ run, charge }) => ({
      ...runColumns.write(run),
      organisation_id: organisationId,
      charge_state: charge > 0n ? 'OPEN' : 'NONE',
      charge_micros: charge.toString(),
    })),
  );
}

/** One that somebody cancelled says nothing about those to come. */
const isOfSchedule = (run: Run): boolean => run.trigger === 'SCHEDULE' && isOver(run) && run.status !== 'Cancelled';

interface CandidateRow {
  readonly id: string;
  readonly pipeline_id: string;
  readonly going_on: boolean;
  readonly max_concurrent_runs: number;
}

/**
 * Gives places to waiting runs. One transaction at a time does so for an organisation; whoever changes a waiting run just
 * now is not waited for, and looks for places afterwards if that frees one.
 */
export async function admitRuns(
  trx: Knex.Transaction,
  organisationId: string,
  mostOfOrganisation: number,
  at: Date,
): Promise<readonly Run[]> {
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`runs of ${organisationId}`]);
  const { rows } = await trx.raw<{ rows: CandidateRow[] }>(
    `SELECT id, pipeline_id, going_on, max_concurrent_runs FROM (
       SELECT id, pipeline_id, created_at, admitted_at IS NOT NULL AS going_on,
              (SELECT max_concurrent_runs FROM pipelines WHERE id = runs.pipeline_id) AS max_concurrent_runs,
              row_number() OVER (PARTITION BY pipeline_id, admitted_at IS NULL ORDER BY created_at, id) AS turn
       FROM runs WHERE organisation_id = ? AND finished_at IS NULL
     ) AS candidates
     WHERE going_on OR turn <= max_concurrent_runs
     ORDER BY created_at, id`,
    [organisationId],
  );
  const goingOn = new Map<string, number>();
  const waiting: WaitingRun[] = [];
  for (const { id, pipeline_id: pipelineId, going_on: isGoingOn, max_concurrent_runs: mostOfPipeline } of rows) {
    if (isGoingOn) goingOn.set(pipelineId, (goingOn.get(pipelineId) ?? 0) + 1);
    else waiting.push({ id, pipelineId, mostOfPipeline });
  }
  const chosen = admitted(waiting, goingOn, mostOfOrganisation);
  if (chosen.length === 0) return [];
  const taken = await trx.raw<{ rows: object[] }>(
    `UPDATE runs SET admitted_at = ?, ready_since = ?, changes = changes + 1 WHERE id IN (
       SELECT id FROM runs WHERE organisation_id = ? AND id = ANY (?::uuid[]) AND admitted_at IS NULL AND finished_at IS NULL
       FOR NO KEY UPDATE SKIP LOCKED
     ) RETURNING *`,
    [at, at, organisationId, [...chosen]],
  );
  return taken.rows.map((row) => runColumns.read(row));
}

interface WholeRow {
  id: string;
  created_at: Date;
  version: object;
}

/** Asked for again and again while a run goes on: one round trip each. */
const oneRun = {
  name: 'run',
  text: `SELECT ${runColumns.names.join(', ')} FROM runs WHERE organisation_id = $1 AND id = $2`,
};
const oneWholeRun = {
  name: 'run-with-version',
  text: `SELECT ${runColumns.names.map((name) => `runs.${name}`).join(', ')}, to_jsonb(pipeline_versions) AS version
         FROM runs JOIN pipeline_versions ON pipeline_versions.id = runs.version_id
         WHERE runs.organisation_id = $1 AND runs.pipeline_id = $2 AND runs.id = $3`,
};

/** Runs with their versions: what is measured of a page is all of it. */
const wholeRuns = (trx: Knex.Transaction, organisationId: string, pipelineId: string) =>
  trx('runs')
    .join('pipeline_versions', 'pipeline_versions.id', 'runs.version_id')
    .where({ 'runs.organisation_id': organisationId, 'runs.pipeline_id': pipelineId })
    .select(runColumns.names.map((name) => `runs.${name}`))
    .select(trx.raw('to_jsonb(pipeline_versions) AS version')) as Knex.QueryBuilder<object, WholeRow[]>;

const wholeRunOf = (row: WholeRow): WholeRun => ({
  run: runColumns.read(row),
  version: versionColumns.read(withDates(row.version)),
});

const withDates = (version: object): object => ({
  ...version,
  created_at: new Date((version as { created_at: string }).created_at),
});

function runsLike(runs: Knex.QueryBuilder<object, WholeRow[]>, filter: RunFilter) {
  const { statuses, versionId, createdAfter, createdBefore } = filter;
  if (statuses.length > 0) void runs.whereIn('runs.status', statuses);
  // Of runs that are over there is an index by their status.
  if (statuses.length > 0 && statuses.every((status) => FINAL.has(status))) void runs.whereNotNull('runs.finished_at');
  if (versionId !== undefined) void runs.where('runs.version_id', versionId);
  if (createdAfter) void runs.where('runs.created_at', '>', createdAfter);
  if (createdBefore) void runs.where('runs.created_at', '<', createdBefore);
  return runs;
}
