import { unchanged } from '@platform-backend/core';
import {
  advisoryLock,
  changesIn,
  columns,
  countOf,
  firstOrThrow,
  jsonColumn,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { actorColumn } from '../../runs/store/run-rows.ts';
import type { Backfill, BackfillRuns } from '../domain/backfill.ts';
import type { Backfills, CountedBackfill } from '../domain/backfills.ts';
import { backfillNotFound } from '../domain/errors.ts';

const backfillColumns = columns<Backfill>({
  id: 'id',
  pipelineId: 'pipeline_id',
  versionId: 'version_id',
  status: 'status',
  parameter: 'parameter',
  values: jsonColumn('run_values'),
  parameters: jsonColumn('parameters'),
  maxConcurrentRuns: 'max_concurrent_runs',
  startedRuns: 'started_runs',
  message: 'message',
  startedBy: actorColumn,
  clientGroupId: 'client_group_id',
  requestId: 'request_id',
  createdAt: 'created_at',
  finishedAt: 'finished_at',
});

interface CountedRow {
  readonly total: number;
  readonly counted: BackfillRuns;
}

const TOTAL = 'jsonb_array_length(run_values) AS total';

/** Shows those of all organisations and their runs, and nothing that could be changed. */
const SWEEP = { 'app.sweep': 'runs' };

const hasOpen = {
  name: 'has-open-backfills',
  text: `SELECT EXISTS (SELECT FROM backfills WHERE finished_at IS NULL)
             OR EXISTS (SELECT FROM runs WHERE backfill_id IS NOT NULL AND finished_at IS NULL) AS open`,
};

/** What has become of its runs, by the index of those of backfills. */
const COUNTED = `(SELECT jsonb_build_object(
    'open', count(*) FILTER (WHERE runs.finished_at IS NULL),
    'succeeded', count(*) FILTER (WHERE runs.status = 'Succeeded'),
    'failed', count(*) FILTER (WHERE runs.status IN ('Failed', 'Error')),
    'cancelled', count(*) FILTER (WHERE runs.status = 'Cancelled'))
  FROM runs WHERE runs.organisation_id = backfills.organisation_id AND runs.backfill_id = backfills.id) AS counted`;

/** A run may be started, or all are over. */
const HAS_ROOM = `(SELECT count(*) FROM runs WHERE runs.organisation_id = backfills.organisation_id
    AND runs.backfill_id = backfills.id AND runs.finished_at IS NULL)
  < CASE WHEN started_runs < jsonb_array_length(run_values) THEN max_concurrent_runs ELSE 1 END`;

const REMOVED_AT_ONCE = 500;

/** Backfills in PostgreSQL. */
export function backfillsStore(database: Database): Backfills {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  const counted = (trx: Knex.Transaction, organisationId: string) =>
    of(trx, organisationId).select([...backfillColumns.names, trx.raw(TOTAL), trx.raw(COUNTED)]) as Knex.QueryBuilder<
      object,
      object[]
    >;

  return {
    find: (organisationId, id) =>
      database.tenant(organisationId, async (trx) => {
        const rows: readonly object[] = await counted(trx, organisationId).where({ id });
        return rows.map(countedOf).at(0);
      }),

    get: (organisationId, pipelineId, id) =>
      database.tenant(organisationId, async (trx) => {
        const rows: readonly object[] = await counted(trx, organisationId).where({ id, pipeline_id: pipelineId });
        const [found] = rows.map(countedOf);
        if (!found) throw backfillNotFound();
        return found;
      }),

    list: (organisationId, pipelineId, statuses, { order, ...page }) =>
      database.tenant(organisationId, (trx) => {
        // Of a page the values would be many megabytes.
        const names = backfillColumns.names.filter((name) => name !== 'run_values');
        const found = of(trx, organisationId)
          .where({ pipeline_id: pipelineId })
          .select<object[]>([...names, trx.raw(`'[]'::jsonb AS run_values`), trx.raw(TOTAL), trx.raw(COUNTED)]);
        if (statuses.length > 0) void found.whereIn('status', [...statuses]);
        return listPage(found, page, { order, read: (rows: readonly object[]) => rows.map(countedOf) });
      }),

    add: (by, id, decide) =>
      changes.update(
        by,
        (present: Backfill | number) => (typeof present === 'number' ? decide(present) : unchanged(present)),
        {
          async load(trx) {
            await advisoryLock(trx, `backfills of ${by.organisationId}`);
            const row = await of(trx, by.organisationId).where({ id }).first<object | undefined>(backfillColumns.names);
            return row ? backfillColumns.read(row) : countOf(of(trx, by.organisationId).whereNull('finished_at'));
          },
          save: (trx, backfill) =>
            trx('backfills').insert({ ...backfillColumns.write(backfill), organisation_id: by.organisationId }),
        },
      ),

    change: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) =>
          firstOrThrow(of(trx, by.organisationId).where({ id }).forNoKeyUpdate(), backfillColumns, backfillNotFound),
        save: (trx, { status, startedRuns, message, finishedAt }) =>
          of(trx, by.organisationId)
            .where({ id })
            .update({ status, started_runs: startedRuns, message, finished_at: finishedAt }),
      }),

    async hasOpen() {
      const [row] = await database.systemStatement<{ open: boolean }>(hasOpen, [], SWEEP);
      return row?.open === true;
    },

    open: (after, limit) =>
      database.system(SWEEP, async (trx) => {
        const query = trx('backfills').whereNull('finished_at').whereRaw(HAS_ROOM).orderBy('id').limit(limit);
        if (after !== '') void query.where('id', '>', after);
        const rows = await query.select<{ id: string; organisation_id: string }[]>('id', 'organisation_id');
        return rows.map(({ id, organisation_id: organisationId }) => ({ organisationId, id }));
      }),

    async removeEnded(before) {
      const old = await database.system(SWEEP, (trx) =>
        trx('backfills')
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(REMOVED_AT_ONCE)
          .select<{ id: string; organisation_id: string }[]>('id', 'organisation_id'),
      );
      for (const [organisationId, own] of Map.groupBy(old, (row) => row.organisation_id)) {
        const ids = own.map(({ id }) => id);
        await database.tenant(organisationId, async (trx) => {
          await of(trx, organisationId).whereIn('id', ids).delete();
        });
      }
      return old.length;
    },

    unwantedRuns: (limit) =>
      database.system(SWEEP, async (trx) => {
        const rows = await trx('runs')
          .join('backfills', 'backfills.id', 'runs.backfill_id')
          .whereNull('runs.finished_at')
          .whereNotNull('runs.backfill_id')
          .whereNot('runs.status', 'Cancelling')
          .where('backfills.status', 'Cancelled')
          .orderBy('runs.id')
          .limit(limit)
          .select<{ id: string; organisation_id: string }[]>('runs.id', 'runs.organisation_id');
        return rows.map(({ id: runId, organisation_id: organisationId }) => ({ organisationId, runId }));
      }),
  };
}

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('backfills').where({ organisation_id: organisationId });

function countedOf(row: object): CountedBackfill {
  const { total, counted: runs } = row as CountedRow;
  return { backfill: backfillColumns.read(row), total, runs };
}
