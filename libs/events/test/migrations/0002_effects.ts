import { tenantTable, type Knex } from '@platform/postgres';

/** What the reactions of these tests do: each row is one effect, so that two effects of one event show. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE effects (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      organisation_id text NOT NULL,
      event_id text NOT NULL,
      subject text NOT NULL
    );
    CREATE TABLE latest (
      organisation_id text NOT NULL,
      subject text NOT NULL,
      version int NOT NULL,
      PRIMARY KEY (organisation_id, subject)
    );
  `);
  await tenantTable(knex, 'effects');
  await tenantTable(knex, 'latest');
}
