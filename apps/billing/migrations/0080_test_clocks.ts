import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Clocks of organisations that try in the sandbox what time brings about. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE test_clocks (
      organisation_id text PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      name text NOT NULL,
      -- By how much it is ahead of the real time.
      ahead_ms bigint NOT NULL CHECK (ahead_ms >= 0),
      -- Where it is being advanced to, by its own time; null: nowhere.
      advancing_to timestamptz(3),
      -- These two by the real time. Whoever moves it has until the second.
      created_at timestamptz(3) NOT NULL,
      lease_until timestamptz(3) NOT NULL
    );
  `);
  await tenantTable(knex, 'test_clocks', { open: [{ setting: 'app.schedule', value: 'test_clocks' }] });
}
