import { untilFirst, type Database, type Knex } from '@platform-backend/postgres';
import type { ObjectRemovals } from '../domain/datasets.ts';

const SETTINGS = { 'app.object_removals': 'due' };

interface AwaitedRow {
  is_awaited: boolean;
}

/** Whether a step goes on, or its pod has begun before anybody has seen that. */
const isAwaited = (stepIndex: string): string =>
  `runs.finished_at IS NULL AND runs.steps -> ${stepIndex} ->> 'status' IN ('Pending', 'Running')`;

/** What belongs to a version by now is noted no more; of what a replica of before has noted nobody knows whose it is. */
const outputAwaited = {
  name: 'output-awaited',
  text: `SELECT noted.run_id IS NULL OR coalesce(${isAwaited('noted.step_index')}, false) AS is_awaited
         FROM object_removals AS noted
         LEFT JOIN runs ON runs.organisation_id = noted.organisation_id AND runs.id = noted.run_id
         WHERE noted.organisation_id = $1 AND noted.key = $2`,
};
const stepAwaited = {
  name: 'step-awaited',
  text: `SELECT ${isAwaited('$3::int')} AS is_awaited FROM runs WHERE organisation_id = $1 AND id = $2::uuid`,
};

/** In PostgreSQL, so that what is noted with a change is noted if and only if it happens. */
export const objectRemovalsStore = (database: Database): ObjectRemovals => ({
  note: (organisationId, key, at) =>
    database.tenant(organisationId, async (trx) => {
      await trx('object_removals')
        .insert({ organisation_id: organisationId, key, remove_at: at })
        .onConflict('key')
        .merge(['remove_at']);
    }),

  noteForRun: (organisationId, runId, objects, at) =>
    database.tenant(organisationId, async (trx) => {
      const untouched = { organisation_id: organisationId, id: runId, started_at: null, finished_at: null };
      // Nothing of it begins while its row is locked.
      if (!(await trx('runs').where(untouched).forNoKeyUpdate().first('id'))) return false;
      await trx('object_removals')
        .insert(
          objects.map(({ key, stepIndex }) => ({
            ...{ organisation_id: organisationId, key, remove_at: at },
            ...{ run_id: runId, step_index: stepIndex },
          })),
        )
        .onConflict('key')
        .merge(['remove_at', 'run_id', 'step_index']);
      return true;
    }),

  async isOutputAwaited(organisationId, key) {
    const [row] = await database.statement<AwaitedRow>(organisationId, outputAwaited, [organisationId, key]);
    return row?.is_awaited === true;
  },

  async isStepAwaited(organisationId, runId, stepIndex) {
    const [row] = await database.statement<AwaitedRow>(organisationId, stepAwaited, [organisationId, runId, stepIndex]);
    return row?.is_awaited === true;
  },

  due: (at, limit) =>
    database.system(SETTINGS, async (trx) => {
      const rows = await trx('object_removals')
        .where('remove_at', '<=', at)
        .orderBy('remove_at')
        .limit(limit)
        .select<{ key: string }[]>('key');
      return rows.map(({ key }) => key);
    }),

  untilDue: (at) => untilFirst(database, { table: 'object_removals', column: 'remove_at', settings: SETTINGS }, at),

  done: (keys, at) =>
    database.system(SETTINGS, async (trx) => {
      const these = () => trx('object_removals').whereIn('key', keys).where('remove_at', '<=', at) as Knex.QueryBuilder;
      await these().whereNull('again_at').delete();
      await these().update({ remove_at: trx.ref('again_at'), again_at: null });
    }),
});
