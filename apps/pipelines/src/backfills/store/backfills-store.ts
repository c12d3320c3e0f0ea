import { unchanged } from '@platform-backend/core';
import {
  changesIn,
  columns,
  countOf,
  jsonColumn,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { actorColumn } from '../../runs/store/run-rows.ts';
import type { Backfill } from '../domain/backfill.ts';
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
  readonly open: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Shows those of all organisations, and nothing that could be changed. */
const SWEEP = { 'app.sweep': 'backfills' };
const SWEEP_RUNS = { 'app.sweep': 'runs' };

const openOnes = {
  name: 'has-open-backfills',
  text: `SELECT EXISTS (SELECT FROM backfills WHERE finished_at IS NULL) AS open`,
};

/** What has become of its runs, by the index of those of backfills. */
const COUNTED = `(SELECT jsonb_build_object(
    'open', count(*) FILTER (WHERE runs.finished_at IS NULL),
    'succeeded', count(*) FILTER (WHERE runs.status = 'Succeeded'),
    'failed', count(*) FILTER (WHERE runs.status IN ('Failed', 'Error')),
    'cancelled', count(*) FILTER (WHERE runs.status = 'Cancelled'))
  FROM runs WHERE runs.organisation_id = backfills.organisation_id AND runs.backfill_id = backfills.id) AS counted`;

/** Backfills in PostgreSQL. */
export function backfillsStore(database: Database): Backfills {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  const counted = (trx: Knex.Transaction, organisationId: string) =>
    of(trx, organisationId).select<object[]>([...backfillColumns.names, trx.raw(COUNTED)]);

  return {
    find: (organisationId, id) =>
      database.tenant(organisationId, async (trx) => {
        const [row] = await counted(trx, organisationId).where({ id });
        return row && countedOf(row);
      }),

    get: (organisationId, pipelineId, id) =>
      database.tenant(organisationId, async (trx) => {
        const [row] = await counted(trx, organisationId).where({ id, pipeline_id: pipelineId });
        if (!row) throw backfillNotFound();
        return countedOf(row);
      }),

    list: (organisationId, pipelineId, statuses, { order, ...page }) =>
      database.tenant(organisationId, (trx) => {
        const found = counted(trx, organisationId).where({ pipeline_id: pipelineId });
        if (statuses.length > 0) void found.whereIn('status', [...statuses]);
        return listPage(found, page, { order, read: (rows: readonly object[]) => rows.map(countedOf) });
      }),

    add: (by, id, decide) =>
      changes.update(
        by,
        (present: Backfill | number) => (typeof present === 'number' ? decide(present) : unchanged(present)),
        {
          async load(trx) {
            await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('backfills of ' || ?, 0))`, [
              by.organisationId,
            ]);
            const row = await of(trx, by.organisationId).where({ id }).first<object | undefined>(backfillColumns.names);
            return row ? backfillColumns.read(row) : countOf(of(trx, by.organisationId).whereNull('finished_at'));
          },
          save: (trx, backfill) =>
            trx('backfills').insert({ ...backfillColumns.write(backfill), organisation_id: by.organisationId }),
        },
      ),

    change: (by, id, decide) =>
      changes.update(by, decide, {
        async load(trx) {
          const row = await of(trx, by.organisationId)
            .where({ id })
            .forNoKeyUpdate()
            .first<object | undefined>(backfillColumns.names);
          if (!row) throw backfillNotFound();
          return backfillColumns.read(row);
        },
        save: (trx, { status, startedRuns, message, finishedAt }) =>
          of(trx, by.organisationId)
            .where({ id })
            .update({ status, started_runs: startedRuns, message, finished_at: finishedAt }),
      }),

    async hasOpen() {
      const [row] = await database.systemStatement<{ open: boolean }>(openOnes, [], SWEEP);
      return row?.open === true;
    },

    open: (after, limit) =>
      database.system(SWEEP, async (trx) => {
        const query = trx('backfills').whereNull('finished_at').orderBy('id').limit(limit);
        if (after !== '') void query.where('id', '>', after);
        const rows = await query.select<{ id: string; organisation_id: string }[]>('id', 'organisation_id');
        return rows.map(({ id, organisation_id: organisationId }) => ({ organisationId, id }));
      }),

    unwantedRuns: async (limit) => {
      const open = await database.system(SWEEP_RUNS, async (trx) =>
        trx('runs')
          .whereNull('finished_at')
          .whereNotNull('backfill_id')
          .whereNot({ status: 'Cancelling' })
          .orderBy('id')
          .limit(limit)
          .select<{ id: string; organisation_id: string; backfill_id: string }[]>(
            'id',
            'organisation_id',
            'backfill_id',
          ),
      );
      if (open.length === 0) return [];
      const cancelled = await database.system(SWEEP, async (trx) =>
        trx('backfills')
          .whereIn('id', [...new Set(open.map((run) => run.backfill_id))])
          .where({ status: 'Cancelled' })
          .pluck<string[]>('id'),
      );
      const unwanted = new Set(cancelled);
      return open
        .filter((run) => unwanted.has(run.backfill_id))
        .map(({ id: runId, organisation_id: organisationId }) => ({ organisationId, runId }));
    },
  };
}

const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('backfills').where({ organisation_id: organisationId });

function countedOf(row: object): CountedBackfill {
  const { counted } = row as { readonly counted: CountedRow };
  return { backfill: backfillColumns.read(row), runs: counted };
}
