import { parseExactJson, storableJson } from '@platform-backend/core';
import {
  advisoryLock,
  changesIn,
  columns,
  countOf,
  firstOrThrow,
  listPage,
  recordEventsOf,
  untilFirst,
  type Columns,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { notebookNotFound } from '../../notebooks/domain/errors.ts';
import { notebookRunNotFound } from '../domain/errors.ts';
import type { NotebookRun } from '../domain/notebook-run.ts';
import type { NotebookRuns } from '../domain/notebook-runs.ts';
import type { Parameters } from '../domain/parameters.ts';

/** As text, which keeps every number as it was written, since there is such a column. */
const parameterColumns: Columns<Parameters> = {
  names: ['parameters', 'parameters_text'],
  read: (row) => {
    const { parameters, parameters_text: text } = row as ParameterRow;
    return text === null ? parameters : (parseExactJson(text) as Parameters);
  },
  write: (parameters) => {
    const json = storableJson(parameters);
    // `jsonb` refuses numbers beyond its own bounds, which are wider than a double's: nobody reads them there.
    return { parameters: JSON.stringify(JSON.parse(json)), parameters_text: json };
  },
};

interface ParameterRow {
  readonly parameters: Parameters;
  readonly parameters_text: string | null;
}

const runColumns = columns<NotebookRun>({
  id: 'id',
  notebookId: 'notebook_id',
  notebookVersion: 'notebook_version',
  status: 'status',
  parameters: parameterColumns,
  kernelName: 'kernel_name',
  attempts: 'attempts',
  attemptId: 'attempt_id',
  cells: 'cells',
  cellsDone: 'cells_done',
  failedCell: 'failed_cell',
  code: 'code',
  message: 'message',
  userId: 'user_id',
  clientGroupId: 'client_group_id',
  apiKeyId: 'api_key_id',
  createdAt: 'created_at',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
  nextAttemptAt: 'look_at',
});

/** Runs of notebooks in PostgreSQL; what runs and what comes of it have a table of their own, which lists never touch. */
export function notebookRunsStore(database: Database): NotebookRuns {
  const recordEvents = recordEventsOf('notebooks');
  const changes = changesIn(database, recordEvents);
  return {
    add: ({ organisationId, ...by }, runId, content, decide) =>
      database.tenant(organisationId, async (trx) => {
        await advisoryLock(trx, `runs of ${organisationId}`);
        const known = await rows(trx, organisationId, runId).first<object | undefined>(runColumns.names);
        if (known) return runColumns.read(known);
        const open = trx('notebook_runs').where({ organisation_id: organisationId }).whereNotNull('look_at');
        const { state: run, events } = decide(await countOf(open));
        await trx('notebook_runs').insert({ ...runColumns.write(run), organisation_id: organisationId });
        await trx('notebook_run_contents').insert({ organisation_id: organisationId, run_id: runId, content });
        await recordEvents(trx, { organisationId, ...by }, events);
        return run;
      }),

    get: (organisationId, notebookId, runId) =>
      database.tenant(organisationId, (trx) =>
        load(rows(trx, organisationId, runId).where({ notebook_id: notebookId })),
      ),

    list: (organisationId, notebookId, page) =>
      database.tenant(organisationId, async (trx) => {
        const notebook = trx('notebooks').where({ organisation_id: organisationId, id: notebookId });
        if (!(await notebook.first<object | undefined>('id'))) throw notebookNotFound();
        const runs = trx('notebook_runs').where({ organisation_id: organisationId, notebook_id: notebookId });
        return listPage(runs.select(runColumns.names), page, {
          order: 'desc',
          read: (found) => found.map(runColumns.read),
        });
      }),

    noticeOf: (organisationId, runId) => database.noticeOf([`notebook_run ${organisationId} ${runId}`]),

    update: (by, runId, decide, result) =>
      changes.update(by, decide, {
        load: (trx) => load(rows(trx, by.organisationId, runId).forUpdate()),
        save: async (trx, run) => {
          await rows(trx, by.organisationId, runId).update(runColumns.write(run));
          if (result !== undefined && run.finishedAt) {
            await contents(trx, by.organisationId, runId).update({ result });
          }
        },
      }),

    contentOf: (organisationId, runId) =>
      database.tenant(organisationId, async (trx) => {
        const kept = await contents(trx, organisationId, runId).first<{ content: string } | undefined>('content');
        if (!kept) throw notebookRunNotFound();
        return kept.content;
      }),

    resultOf: (organisationId, runId) =>
      database.tenant(organisationId, async (trx) => {
        const kept = await contents(trx, organisationId, runId).first<{ result: string | null } | undefined>('result');
        return kept?.result ?? null;
      }),

    async due(at, limit) {
      const found = await database.systemStatement<{ organisation_id: string; id: string }>(due, [at, limit], SWEEP);
      return found.map(({ organisation_id: organisationId, id }) => ({ organisationId, id }));
    },

    untilDue: (at) => untilFirst(database, { table: 'notebook_runs', column: 'look_at', settings: SWEEP }, at),

    async removeEnded(before, limit) {
      const ended = await database.system(SWEEP, (trx) =>
        trx('notebook_runs')
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(limit)
          .select<{ organisation_id: string; id: string }[]>('organisation_id', 'id'),
      );
      for (const [organisationId, own] of Map.groupBy(ended, (row) => row.organisation_id))
        await database.tenant(organisationId, async (trx) => {
          const ids = own.map(({ id }) => id);
          await trx('notebook_runs').where({ organisation_id: organisationId }).whereIn('id', ids).delete();
        });
      return ended.length;
    },
  };
}

const rows = (trx: Knex.Transaction, organisationId: string, runId: string) =>
  trx('notebook_runs').where({ organisation_id: organisationId, id: runId });

const contents = (trx: Knex.Transaction, organisationId: string, runId: string) =>
  trx('notebook_run_contents').where({ organisation_id: organisationId, run_id: runId });

const load = (query: Knex.QueryBuilder): Promise<NotebookRun> => firstOrThrow(query, runColumns, notebookRunNotFound);

/** Opens those of all organisations. */
const SWEEP = { 'app.sweep': 'notebook runs' };

/** Asked every second, by each replica, while there is something to do: one round trip. */
const due = {
  name: 'due-notebook-runs',
  text: 'SELECT organisation_id, id FROM notebook_runs WHERE look_at <= $1 ORDER BY look_at LIMIT $2',
};
