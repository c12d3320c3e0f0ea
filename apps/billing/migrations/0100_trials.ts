import type { Knex } from '@platform-backend/postgres';

/** Trials: the one that an organisation has or had. That a period is one says what was agreed for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE subscriptions
      ADD COLUMN trial_started_at timestamptz(3),
      ADD COLUMN trial_ends_at timestamptz(3),
      ADD COLUMN trial_missing_payment_method text
        CHECK (trial_missing_payment_method IN ('CANCEL', 'CREATE_INVOICE')),
      ADD CONSTRAINT subscriptions_trial CHECK (
        (trial_started_at IS NULL) = (trial_ends_at IS NULL)
        AND (trial_ends_at IS NULL) = (trial_missing_payment_method IS NULL)
        AND trial_ends_at >= trial_started_at);
  `);
}
