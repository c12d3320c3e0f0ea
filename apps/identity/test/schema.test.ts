import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform/core';
import {
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  openDatabase,
  type Database,
} from '@platform/postgres';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform/testing';
import { migrateIdentity } from '../src/migrate-identity.ts';

const logger = createLogger({ service: 'identity', level: 'silent' });
let postgres: ThrowawayPostgres;
let database: Database;
const migrate = () => migrateIdentity({ migrationUrl: postgres.ownerUrl, databaseUrl: postgres.appUrl, logger });

beforeAll(async () => {
  postgres = await throwawayPostgres();
  database = openDatabase({ url: postgres.appUrl, applicationName: 'test', logger });
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

describe('the schema', () => {
  it('is made once, however many replicas migrate at the same time, and stays as it is afterwards', async () => {
    const runs = await Promise.all([migrate(), migrate(), migrate()]);
    expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
    const before = await description();
    expect(await migrate()).toEqual([]);
    expect(await description()).toEqual(before);
  });

  it('shows rows of one organisation alone; users, who belong to none, have policies of their own', async () => {
    await assertEveryTableIsTenantScoped(database.knex, { except: ['users'] });
    const { rows } = await database.knex.raw<{ rows: object[] }>(
      `SELECT relrowsecurity AND relforcerowsecurity AS forced FROM pg_class WHERE relname = 'users'`,
    );
    expect(rows).toEqual([{ forced: true }]);
  });

  it('has no function that would bypass this with the rights of its owner', async () => {
    const { rows } = await database.knex.raw<{ rows: object[] }>(
      `SELECT proname, prosecdef AS as_owner FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(rows).toEqual(
      expect.arrayContaining(['api_key_of_hash', 'user_of_token'].map((proname) => ({ proname, as_owner: false }))),
    );
    expect(rows).not.toContainEqual(expect.objectContaining({ as_owner: true }));
  });

  it('keeps no moment more finely than a Date can hold', () => assertTimestampsFitDates(database.knex));

  it('shows nothing at all to a connection that names nothing', async () => {
    for (const table of ['users', 'organisations', 'members', 'client_groups', 'api_key_secrets', 'audit_entries']) {
      expect(await database.knex(table).select('*')).toEqual([]);
    }
  });
});

/** Columns, constraints, indexes and policies, in text. */
async function description(): Promise<unknown[]> {
  const { rows } = await database.knex.raw<{ rows: unknown[] }>(
    `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS is FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND a.attnum > 0
     UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid) FROM pg_policy
     ORDER BY 1, 2, 3`,
  );
  return rows;
}
