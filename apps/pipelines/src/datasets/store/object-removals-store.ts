import { untilFirst, type Database, type Knex } from '@platform-backend/postgres';
import type { ObjectRemovals } from '../domain/datasets.ts';

const SETTINGS = { 'app.object_removals': 'due' };

/** In PostgreSQL, so that what is noted with a change is noted if and only if it happens. */
export const objectRemovalsStore = (database: Database): ObjectRemovals => ({
  note: (organisationId, key, at) =>
    database.tenant(organisationId, async (trx) => {
      await trx('object_removals')
        .insert({ organisation_id: organisationId, key, remove_at: at })
        .onConflict('key')
        .merge(['remove_at']);
    }),

  noteForRun: (organisationId, runId, keys, at) =>
    database.tenant(organisationId, async (trx) => {
      const untouched = { organisation_id: organisationId, id: runId, started_at: null, finished_at: null };
      // Nothing of it begins while its row is locked.
      if (!(await trx('runs').where(untouched).forNoKeyUpdate().first('id'))) return false;
      await trx('object_removals')
        .insert(keys.map((key) => ({ organisation_id: organisationId, key, remove_at: at })))
        .onConflict('key')
        .merge(['remove_at']);
      return true;
    }),

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
