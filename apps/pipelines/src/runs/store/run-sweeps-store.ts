import { quietly, type Clock } from '@platform-backend/core';
import { runPrepared, type Database, type Knex } from '@platform-backend/postgres';
import { awaitedRunIds } from '../domain/child-run.ts';
import { EMBEDDED_ENGINE } from '../domain/run-engine.ts';
import type { RunStatus } from '../domain/run.ts';
import type { DueSteps, RunSweeps, RunWorkers } from '../domain/runs.ts';
import { chooseAdmitted, admitRuns } from './run-admission.ts';
import { runColumns } from './run-rows.ts';

/** Shows the runs of all organisations, and nothing that could be changed. */
const sweep = { 'app.sweep': 'runs' };

/** What replicas of the release before have changed does not say when it is due, and would have no turn. */
const DUE_AT_LEAST = 'CASE WHEN engine = ? AND due_at IS NULL AND kernel_due_at IS NULL THEN now() ELSE due_at END';

const hasOpenRuns = {
  name: 'has-open-runs',
  text: 'SELECT EXISTS (SELECT FROM runs WHERE finished_at IS NULL) AS open',
};

interface ReadyStepsRow {
  organisation_id: string;
  steps: number;
  oldest_seconds: number;
}

/** Whose oldest step has waited long is found in the indexes of what is due; what else could be begun is counted of those alone. */
const readySteps = {
  name: 'ready-steps-by-organisation',
  text: `
    WITH due AS (
      SELECT organisation_id, steps, least(due_at, kernel_due_at) AS since FROM runs
      WHERE finished_at IS NULL AND admitted_at IS NOT NULL AND (due_at <= now() OR kernel_due_at <= now())
    ), longest AS (
      SELECT organisation_id, min(since) AS since FROM due GROUP BY organisation_id
      HAVING min(since) <= now() - make_interval(secs => $1) ORDER BY since LIMIT $2
    )
    SELECT organisation_id, extract(epoch FROM now() - longest.since)::float8 AS oldest_seconds,
           (SELECT count(*)::int FROM due CROSS JOIN jsonb_array_elements(due.steps) AS step
            WHERE due.organisation_id = longest.organisation_id AND step ->> 'status' = 'Pending'
              AND NOT coalesce((step ->> 'startsRun')::boolean, false) AND coalesce(step -> 'forEach', 'null') = 'null'
              AND coalesce((step ->> 'notBefore')::timestamptz <= now(), true)
              AND NOT EXISTS (SELECT FROM jsonb_array_elements(step -> 'after') AS other
                              WHERE due.steps -> other::int ->> 'status' NOT IN ('Succeeded', 'Skipped'))) AS steps
    FROM longest ORDER BY longest.since`,
};

/** With all that was logged of them. */
const REMOVED_AT_ONCE = 500;

interface SweptRow {
  id: string;
  organisation_id: string;
}

/** What is looked for across organisations, in PostgreSQL. */
export const runSweepsStore = (database: Database, clock: Clock, maxOfOrganisation: number): RunSweeps => ({
  async hasOpen() {
    const [row] = await database.systemStatement<{ open: boolean }>(hasOpenRuns, [], sweep);
    return row?.open === true;
  },

  async forgotten(readyBefore, limit) {
    const rows = await database.system(sweep, (trx) =>
      notOver(trx)
        .where('ready_since', '<=', readyBefore)
        .orderBy('ready_since')
        .limit(limit)
        .select<(SweptRow & { ready_since: Date })[]>('organisation_id', 'ready_since', ...runColumns.names),
    );
    const byOrganisation = Map.groupBy(rows, (row) => row.organisation_id);
    for (const [organisationId, own] of byOrganisation) {
      await database.tenant(organisationId, async (trx) => {
        const ids = own.map(({ id }) => id);
        // Whoever changes one of them knows better since when it waits.
        await trx('runs')
          .where({ organisation_id: organisationId })
          .whereIn('id', ids)
          .where('ready_since', '<=', readyBefore)
          .update({ ready_since: clock.now(), due_at: trx.raw(DUE_AT_LEAST, [EMBEDDED_ENGINE]) });
      });
    }
    return rows.map((row) => ({
      ...{ organisationId: row.organisation_id, run: runColumns.read(row), readySince: row.ready_since },
    }));
  },

  queue: () =>
    database.system(
      sweep,
      async (trx) => {
        const counts = trx.raw<{ runs: number; oldest: Date }>('count(*)::int AS runs, min(created_at) AS oldest');
        return notOver(trx)
          .groupBy('status')
          .select<{ status: RunStatus; runs: number; oldest: Date }[]>('status', counts);
      },
      { readOnly: true },
    ),

  async readySteps(waitedSeconds, limit) {
    const rows = await database.systemStatement<ReadyStepsRow>(readySteps, [waitedSeconds, limit], sweep);
    return rows.map(({ organisation_id: organisationId, steps, oldest_seconds: oldestSeconds }) => ({
      ...{ organisationId, steps, oldestSeconds },
    }));
  },

  overdueCancellations: (cancellingBefore, limit) =>
    database.system(sweep, async (trx) =>
      refsOf(
        await notOver(trx)
          .where({ status: 'Cancelling' })
          .where('cancelling_at', '<=', cancellingBefore)
          .limit(limit)
          .select<SweptRow[]>('id', 'organisation_id'),
      ),
    ),

  overdue: (at, limit) =>
    database.system(sweep, async (trx) =>
      refsOf(
        await notOver(trx)
          .whereNot({ status: 'Cancelling' })
          .whereRaw(`admitted_at + time_limit_seconds * interval '1 second' <= ?`, [at])
          .limit(limit)
          .select<SweptRow[]>('id', 'organisation_id'),
      ),
    ),

  ofLostWorkers: (limit) =>
    database.system(sweep, async (trx) => {
      await trx('run_workers').where('lease_until', '<=', trx.raw('now()')).delete();
      const living = await trx('run_workers').where('lease_until', '>', trx.raw('now()')).pluck<string[]>('id');
      const rows = await notOver(trx)
        .whereRaw(`workers <> '{}' AND NOT workers <@ ?::uuid[]`, [living])
        .limit(limit)
        .select<(SweptRow & { workers: string[] })[]>('id', 'organisation_id', 'workers');
      return rows.map(({ id: runId, organisation_id: organisationId, workers }) => ({
        ...{ organisationId, runId },
        lostWorkers: workers.filter((worker) => !living.includes(worker)),
      }));
    }),

  beyondLimit: (seconds, limit) =>
    database.system(sweep, async (trx) => {
      const { rows } = await trx.raw<{ rows: AttemptRow[] }>(
        `SELECT ${ATTEMPT} FROM runs, ${STEPS}
         WHERE finished_at IS NULL AND workers <> '{}' AND status <> 'Cancelling' AND step.value ->> 'worker' IS NOT NULL
           AND (step.value ->> 'startedAt')::timestamptz
               + make_interval(secs => (step.value ->> 'timeLimitSeconds')::float8 + ?) <= now()
         LIMIT ?`,
        [seconds, limit],
      );
      return rows.map(attemptOf);
    }),

  goingOn: (engine, limit) =>
    database.system(sweep, async (trx) => {
      const rows = await notOver(trx)
        .where({ engine })
        .whereNotNull('admitted_at')
        .orderBy('created_at')
        .limit(limit)
        .select<SweptRow[]>('organisation_id', ...runColumns.names);
      return rows.map((row) => ({ organisationId: row.organisation_id, run: runColumns.read(row) }));
    }),

  withChildren: (after, limit) =>
    database.system(sweep, async (trx) => {
      const query = notOver(trx).whereRaw('starts_runs').orderBy('id').limit(limit);
      if (after !== '') void query.where('id', '>', after);
      const rows = await query.select<SweptRow[]>('organisation_id', ...runColumns.names);
      const found = rows.map((row) => ({ organisationId: row.organisation_id, run: runColumns.read(row) }));
      const ids = found.flatMap(awaitedRunIds);
      const children = new Map(
        ids.length === 0
          ? []
          : (
              await trx('runs')
                .whereRaw('id = ANY (?::uuid[])', [ids])
                .select<SweptRow[]>(...runColumns.names)
            ).map((row) => [row.id, runColumns.read(row)]),
      );
      return found.map((one) => ({ ...one, children }));
    }),

  orphans: (limit) =>
    database.system(sweep, async (trx) => {
      const rows = await trx('runs AS child')
        .leftJoin('runs AS parent', 'parent.id', 'child.parent_run_id')
        .whereNull('child.finished_at')
        .whereNotNull('child.parent_run_id')
        .whereNot('child.status', 'Cancelling')
        .whereRaw(
          `(parent.id IS NULL OR parent.finished_at IS NOT NULL OR parent.status = 'Cancelling' OR NOT ${WAITS})`,
        )
        .limit(limit)
        .select<SweptRow[]>('child.id', 'child.organisation_id');
      return refsOf(rows);
    }),

  organisationsWaiting: organisationsInTurn(database),

  admit: (organisationId) =>
    database.tenant(organisationId, async (trx) =>
      admitRuns(trx, organisationId, await chooseAdmitted(trx, organisationId, maxOfOrganisation, []), clock.now()),
    ),

  reserved: () =>
    database.system(sweep, async (trx) => {
      const rows = await notOver(trx)
        .where('charge_micros', '>', 0)
        .groupBy('organisation_id')
        .select<{ organisation_id: string; ids: string[] }[]>('organisation_id', trx.raw('array_agg(id) AS ids'));
      return rows.map(({ organisation_id: organisationId, ids: runIds }) => ({ organisationId, runIds }));
    }),

  async removeRuns(endedBefore) {
    const old = await database.system(sweep, (trx) =>
      trx('runs')
        .where('finished_at', '<', endedBefore)
        .orderBy('finished_at')
        .limit(REMOVED_AT_ONCE)
        .select<SweptRow[]>('id', 'organisation_id'),
    );
    for (const [organisationId, own] of Map.groupBy(old, (row) => row.organisation_id))
      await database.tenant(organisationId, async (trx) => {
        const ids = own.map(({ id }) => id);
        await trx('runs').where({ organisation_id: organisationId }).whereIn('id', ids).delete();
      });
    return old.length;
  },

  removeLogs: (before) =>
    database.system({ 'app.sweep': 'run_logs' }, async (trx) =>
      trx('run_logs')
        .whereIn('id', trx('run_logs').where('created_at', '<', before).limit(10_000).select('id'))
        .delete(),
    ),
});

/** Round and round: those that wait longest may be those that cannot be admitted, and would come every time. */
function organisationsInTurn(database: Database): RunSweeps['organisationsWaiting'] {
  let last = '';
  return async (limit) => {
    const found = await database.system(sweep, (trx) =>
      notOver(trx)
        .whereNull('admitted_at')
        .groupBy('organisation_id')
        .orderByRaw('organisation_id <= ?, organisation_id', [last])
        .limit(limit)
        .pluck<string[]>('organisation_id'),
    );
    last = found.at(-1) ?? '';
    return found;
  };
}

interface AttemptRow extends SweptRow {
  step_index: number;
  attempt: number;
}

/** The steps of runs as rows, each with its number from 1. */
const STEPS = 'jsonb_array_elements(steps) WITH ORDINALITY AS step (value, number)';
const ATTEMPT = `organisation_id, id, (step.number - 1)::int AS step_index, (step.value ->> 'attempt')::int AS attempt`;

const attemptOf = ({ organisation_id: organisationId, id: runId, step_index: stepIndex, attempt }: AttemptRow) => ({
  ...{ organisationId, runId, stepIndex, attempt },
});

/** Whether a step of the parent still waits for this child. */
const WAITS = `EXISTS (
  SELECT FROM jsonb_array_elements(parent.steps) WITH ORDINALITY AS step (value, number)
  WHERE step.number = (child.parent ->> 'stepIndex')::int + 1 AND step.value ->> 'status' = 'Running'
    AND step.value ->> 'attempt' = child.parent ->> 'attempt')`;

const notOver = (trx: Knex.Transaction) => trx('runs').whereNull('finished_at');

const refsOf = (rows: readonly SweptRow[]) =>
  rows.map(({ id: runId, organisation_id: organisationId }) => ({ organisationId, runId }));

/** Steps that are due, in PostgreSQL. */
export const dueStepsStore = (database: Database): DueSteps => ({
  inTurn: ({ needsKernel, served, isForIdle, limit }) =>
    database.system(sweep, async (trx) => {
      const rows = await runPrepared<SweptRow>(trx, needsKernel ? kernelStepsInTurn : stepsInTurn, [
        ...[stepsAtWork(needsKernel), limit, isForIdle, [...served], limit],
      ]);
      return rows.map((row) => ({ organisationId: row.organisation_id, run: runColumns.read(row) }));
    }),
});

/** As JSON path: those of one kind that our processes carry out. Null: of a kind that replicas of before leave alone. */
const stepsAtWork = (needsKernel: boolean): string =>
  `$[*] ? (@.worker != null && ${needsKernel ? '' : '!'}(@.needsKernel == true || (@.needsKernel == null && !(@.waitsElsewhere == false))))`;

/**
 * One look into the index by organisation finds the next of them, and one more what is due there. What is carried out just now is
 * as little as there are places. What replicas of the release before have ended still says that it is due.
 */
const inTurn = (name: string, due: string) => ({
  name,
  text: `
    WITH RECURSIVE organisations AS (
      (SELECT organisation_id FROM runs WHERE ${due} IS NOT NULL AND admitted_at IS NOT NULL AND finished_at IS NULL
       ORDER BY organisation_id LIMIT 1)
      UNION ALL
      SELECT next.organisation_id FROM organisations, LATERAL (
        SELECT organisation_id FROM runs
        WHERE ${due} IS NOT NULL AND admitted_at IS NOT NULL AND finished_at IS NULL
          AND organisation_id > organisations.organisation_id
        ORDER BY organisation_id LIMIT 1
      ) AS next
    ), at_work AS (
      SELECT organisation_id, sum(jsonb_array_length(jsonb_path_query_array(steps, ?::jsonpath))) AS steps
      FROM runs WHERE workers <> '{}' GROUP BY organisation_id
    ), chosen AS (
      SELECT due.id, organisations.organisation_id, due.due_at, due.round + coalesce(at_work.steps, 0) AS turn
      FROM organisations
      CROSS JOIN LATERAL (
        SELECT id, ${due} AS due_at, row_number() OVER (ORDER BY ${due}, id) AS round FROM runs AS items
        WHERE items.organisation_id = organisations.organisation_id AND ${due} <= now() AND admitted_at IS NOT NULL
          AND finished_at IS NULL
        ORDER BY ${due}, id LIMIT ?
      ) AS due
      LEFT JOIN at_work ON at_work.organisation_id = organisations.organisation_id
      WHERE NOT ? OR coalesce(at_work.steps, 0) = 0
    ), first AS (
      SELECT id, row_number() OVER (
        ORDER BY turn, array_position(?::text[], organisation_id) NULLS FIRST, due_at, id
      ) AS place FROM chosen ORDER BY place LIMIT ?
    )
    SELECT runs.organisation_id, ${runColumns.names.map((column) => `runs.${column}`).join(', ')}
    FROM first CROSS JOIN LATERAL (SELECT * FROM runs AS named WHERE named.id = first.id LIMIT 1) AS runs ORDER BY place`,
});

const stepsInTurn = inTurn('steps-in-turn', 'due_at');
const kernelStepsInTurn = inTurn('kernel-steps-in-turn', 'kernel_due_at');

/** Every two seconds, by each replica: one round trip. */
const keepWorker = {
  name: 'keep-run-worker',
  text: `
    WITH kept AS (
      INSERT INTO run_workers (id, lease_until) VALUES ($1::uuid, now() + make_interval(secs => $2))
      ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until
    )
    SELECT ${ATTEMPT}, status = 'Cancelling' AS is_unwanted FROM runs, ${STEPS}
    WHERE finished_at IS NULL AND workers <> '{}' AND workers && ARRAY[$1::uuid] AND step.value ->> 'worker' = $1::text`,
};

/** The processes that carry steps out, in PostgreSQL. */
export const runWorkersStore = (database: Database): RunWorkers => ({
  keep: (worker, leaseMs) =>
    quietly(async () => {
      const values = [worker, leaseMs / 1000];
      const rows = await database.systemStatement<AttemptRow & { is_unwanted: boolean }>(keepWorker, values, sweep);
      return rows.map((row) => ({ ...attemptOf(row), isUnwanted: row.is_unwanted }));
    }),
  leave: (worker) =>
    database.system(sweep, async (trx) => {
      await trx('run_workers').where({ id: worker }).delete();
    }),
});
