import { tenantTable, type Knex } from '../../src/index.ts';

/** What the reactions of these tests do: each row is one effect, so that two effects of one event show. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE effects (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      organisation_id text NOT NULL,
      event_id text NOT NULL
    );
  `);
  await tenantTable(knex, 'effects');
}
