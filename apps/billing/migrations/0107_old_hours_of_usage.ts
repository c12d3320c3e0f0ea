import type { Knex } from '@platform-backend/postgres';

/** Hours of usage are forgotten by their age, whoever they were counted for, and whether their organisation still counts anything. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX usage_hours_by_age ON usage_hours (hour);
    CREATE POLICY opened_by_app_sweep ON usage_hours USING (current_setting('app.sweep', true) = 'usage');
  `);
}
