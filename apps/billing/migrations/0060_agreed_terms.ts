import type { Knex } from '@platform-backend/postgres';

/** On what terms the cycles of the paid period were bought; null where the release before has written it. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('subscriptions', (table) => {
    table.jsonb('agreed');
  });
}
