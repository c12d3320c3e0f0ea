import type { Knex } from '@platform-backend/postgres';

/** What the sandbox has is compared with our payments, of all organisations, as what a real processor has. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE POLICY opened_by_app_schedule ON sandbox_payments FOR SELECT
      USING (current_setting('app.schedule', true) = 'payments');
    CREATE INDEX sandbox_payments_by_age ON sandbox_payments (created_at);
  `);
}
