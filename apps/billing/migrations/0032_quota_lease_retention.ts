import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/** Leases that are closed are kept only for as long as somebody may ask for them again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'CREATE INDEX quota_leases_closed ON quota_leases (organisation_id, client_group_id, created_at) WHERE used IS NOT NULL',
  );
  await grantToAppRole(knex, 'quota_leases', ['delete']);
}
