import type { Knex } from '@platform-backend/postgres';

/** Null: the default group, whichever that is at the time. The foreign key spans the organisation, as everywhere. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('api_keys', (table) => {
    table.uuid('client_group_id');
    table
      .foreign(['organisation_id', 'client_group_id'])
      .references(['organisation_id', 'id'])
      .inTable('client_groups');
  });
  await knex.raw(`
    CREATE INDEX api_keys_of_client_group ON api_keys (organisation_id, client_group_id)
      WHERE client_group_id IS NOT NULL`);
}
