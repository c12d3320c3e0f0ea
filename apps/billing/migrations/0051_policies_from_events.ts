import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/** Policies are written down from events, which come late, twice and in any order, and each with its version. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What was written down before is older than anything that is heard from now on.
    ALTER TABLE client_policies ADD COLUMN version bigint NOT NULL DEFAULT 0;
    -- Two groups change when the default does, each with an event of its own: for a moment there are two, or none.
    DROP INDEX client_policies_one_default;
    CREATE INDEX client_policies_default ON client_policies (organisation_id, read_at DESC) WHERE is_default;

    -- What the domain's groupCreditLimit says, for the statement that reserves: no row without a hard limit.
    CREATE FUNCTION group_credit_limit(policy jsonb, counted_from date, class text, at timestamptz)
      RETURNS TABLE (amount numeric, since date) LANGUAGE sql IMMUTABLE AS $$
        SELECT given.amount, counted_from + floor(((at AT TIME ZONE 'UTC')::date - counted_from) / days)::int * days::int
        FROM (SELECT (policy ->> 'periodDays')::numeric AS days,
                     (policy ->> CASE class WHEN 'AI' THEN 'aiCreditLimit'
                                            ELSE 'infrastructureCreditLimit' END)::numeric AS amount) AS given
        WHERE (policy ->> 'hardStop')::boolean AND given.amount IS NOT NULL
      $$;
  `);
  await grantToAppRole(knex, 'client_policies', ['delete']);
}
