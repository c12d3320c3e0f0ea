import type { Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX credit_purchases_by_age ON credit_purchases (organisation_id, created_at, id)');
}
