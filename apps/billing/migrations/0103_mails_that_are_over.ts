import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/** Mails are kept for a year: a sweep removes those that are over. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX billing_mails_over ON billing_mails (created_at) WHERE status <> 'PENDING';
    CREATE POLICY seen_by_the_sweep ON billing_mails FOR SELECT
      USING (current_setting('app.sweep', true) = 'billing_mails');
    CREATE POLICY removed_by_the_sweep ON billing_mails FOR DELETE
      USING (current_setting('app.sweep', true) = 'billing_mails' AND status <> 'PENDING');
  `);
  await grantToAppRole(knex, 'billing_mails', ['delete']);
}
