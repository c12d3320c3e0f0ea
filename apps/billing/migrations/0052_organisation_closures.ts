import { tenantTable, type Knex } from '@platform-backend/postgres';

/** Organisations that were deleted, each until all is ended that billing has begun for it; the row stays. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE organisation_closures (
      organisation_id text PRIMARY KEY,
      deleted_at timestamptz(3) NOT NULL,
      -- Whoever works on it has until then; afterwards anybody may go on.
      lease_until timestamptz(3) NOT NULL,
      closed_at timestamptz(3)
    );
    CREATE INDEX organisation_closures_open ON organisation_closures (lease_until) WHERE closed_at IS NULL;
    CREATE INDEX credit_purchases_unfinished ON credit_purchases (organisation_id) WHERE finished_at IS NULL;
    CREATE INDEX credit_reservations_open_of_organisation ON credit_reservations (organisation_id) WHERE status = 'OPEN';
  `);
  await tenantTable(knex, 'organisation_closures', {
    privileges: ['select', 'insert', 'update'],
    open: [{ setting: 'app.schedule', value: 'closures', allow: 'select' }],
  });
}
