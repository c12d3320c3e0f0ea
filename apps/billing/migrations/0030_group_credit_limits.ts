import type { Knex } from '@platform/postgres';

/**
 * What a client group has spent since a day and has set aside, of one class of credits. Whoever asks has the group's
 * credits of that class to itself until its transaction ends, and sees all that was committed before: a volatile
 * function takes a new snapshot for each of its statements. Settling moves what was set aside to what is spent in one
 * commit, so it needs no lock. Days have no end here, so that a replica whose clock is behind passes no limit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX credit_reservations_open_of_group ON credit_reservations (organisation_id, client_group_id)
      WHERE status = 'OPEN';
    CREATE FUNCTION lock_group_credits(organisation text, client_group uuid, class text, since date) RETURNS numeric
      LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended(format('%s %s %s', organisation, client_group, class), 0));
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
