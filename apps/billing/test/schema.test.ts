import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform/core';
import {
  assertEveryTableIsTenantScoped,
  assertTimestampsFitDates,
  openDatabase,
  type Database,
} from '@platform/postgres';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform/testing';
import { migrateBilling } from '../src/migrate-billing.ts';

const logger = createLogger({ service: 'billing', level: 'silent' });
let postgres: ThrowawayPostgres;
let database: Database;
const migrate = () => migrateBilling({ migrationUrl: postgres.ownerUrl, databaseUrl: postgres.appUrl, logger });

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
    expect(await migrate()).toEqual([]);
  });

  it('shows rows of one organisation alone, in every table', () => assertEveryTableIsTenantScoped(database.knex));

  it('keeps no moment more finely than a Date can hold', () => assertTimestampsFitDates(database.knex));

  it('shows nothing at all to a connection that names nothing', async () => {
    for (const table of ['credit_accounts', 'credit_grants', 'credit_reservations', 'ledger_entries', 'usage_days']) {
      expect(await database.knex(table).select('*')).toEqual([]);
    }
  });
});
