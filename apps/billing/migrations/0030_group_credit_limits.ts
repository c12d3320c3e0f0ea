import type { Knex } from '@platform-backend/postgres';

/**
 * What a client group has spent since a day and has set aside, of one class of credits. VOLATILE on purpose, so that it
 * sees what is committed now and not when the statement that asks began: reserving asks it under the lock of the
 * account, or, if that had to be waited for, once more then. Settling moves what was set aside to what is spent in one
 * commit, so the sum is right at every moment. Days have no end here, so that a replica whose clock is behind passes no
 * limit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX credit_reservations_open_of_group ON credit_reservations (organisation_id, client_group_id)
      WHERE status = 'OPEN';
    CREATE FUNCTION group_credits(organisation text, client_group uuid, class text, since date) RETURNS numeric
      LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN (SELECT coalesce(sum(CASE class WHEN 'AI' THEN ai_credits_micros
                                               ELSE infrastructure_credits_micros END), 0)
                FROM usage_days
                WHERE organisation_id = organisation AND client_group_id = client_group AND day >= since)
             + (SELECT coalesce(sum(amount_micros), 0)
                FROM credit_reservations
                WHERE organisation_id = organisation AND client_group_id = client_group AND status = 'OPEN'
                  AND credit_class = class);
      END $$;
  `);
}
