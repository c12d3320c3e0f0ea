import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import {
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  openDatabase,
  type Database,
} from '@platform-backend/postgres';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import type { Service } from '../../src/index.ts';
import { migrateTestDatabase } from '../starters/test-database.ts';

export interface SchemaExceptions {
  /** Tables that belong to no organisation; they have policies of their own. */
  readonly sharedTables?: readonly string[] | undefined;
  /** Functions that run as the owner of the tables, whom policies show no more than what the function is about. */
  readonly ownersFunctions?: readonly string[] | undefined;
}

/** What a schema promises to everybody. */
export function schemaSuite(service: Service, { sharedTables = [], ownersFunctions = [] }: SchemaExceptions): void {
  let postgres: ThrowawayPostgres;
  let database: Database;
  const migrate = () => migrateTestDatabase(service, postgres);
  const rowsOf = async (sql: string, ...bindings: string[]) =>
    (await database.knex.raw<{ rows: object[] }>(sql, bindings)).rows;

  describe('the schema', () => {
    beforeAll(async () => {
      postgres = await throwawayPostgres();
      const logger = createLogger({ service: 'test', level: 'silent' });
      database = openDatabase({ url: postgres.appUrl, applicationName: 'test', logger });
    });
    afterAll(async () => {
      await database.close();
      await postgres.drop();
    });

    it('is made once, however many replicas migrate at the same time, and stays as it is afterwards', async () => {
      const runs = await Promise.all([migrate(), migrate(), migrate()]);
      expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
      const before = await rowsOf(description);
      expect(await migrate()).toEqual([]);
      expect(await rowsOf(description)).toEqual(before);
    });

    it('shows rows of one organisation alone', () =>
      assertEveryTableIsTenantScoped(database.knex, { except: [...sharedTables] }));

    it('protects by policies what belongs to no organisation, too', async () => {
      for (const table of sharedTables) {
        const forced = 'SELECT relrowsecurity AND relforcerowsecurity AS forced FROM pg_class WHERE relname = ?';
        expect([table, await rowsOf(forced, table)]).toEqual([table, [{ forced: true }]]);
      }
    });

    it('has no function with the rights of its owner but those that are named, and the owner bypasses no policy', async () => {
      const definers = `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY proname`;
      expect(await rowsOf(definers)).toEqual([...ownersFunctions].sort().map((proname) => ({ proname })));
      const bypassing = `SELECT rolname FROM pg_roles r JOIN pg_proc p ON p.proowner = r.oid
        WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND (r.rolbypassrls OR r.rolsuper)`;
      expect(await rowsOf(bypassing)).toEqual([]);
    });

    it('finds by an index what refers to a row that may be removed', async () => {
      expect(await rowsOf(referencesWithoutIndex)).toEqual([]);
    });

    it('keeps no moment more finely than a Date can hold', () => assertTimestampsFitDates(database.knex));
  });
}

/** With each row that is removed the whole of such a table would be read, of all organisations. */
const referencesWithoutIndex = `SELECT conrelid::regclass::text AS of, conname FROM pg_constraint
   WHERE contype = 'f' AND has_table_privilege(confrelid, 'DELETE')
     AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL AND indkey[0] = ANY (conkey))
   ORDER BY 1, 2`;

/** Columns, constraints, indexes and policies, in text. */
const description = `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS is FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND a.attnum > 0
   UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace
   UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
   UNION ALL SELECT polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid) FROM pg_policy
   ORDER BY 1, 2, 3`;
