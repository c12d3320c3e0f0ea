import type { Knex } from '@platform-backend/postgres';

/** When the next cycle of a paid period begins, with which credits come; of what the release before has sold none do. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE subscriptions ADD COLUMN plan_credits_at timestamptz(3);
    CREATE INDEX subscriptions_plan_credits_due ON subscriptions (plan_credits_at) WHERE plan_credits_at IS NOT NULL;
  `);
}
