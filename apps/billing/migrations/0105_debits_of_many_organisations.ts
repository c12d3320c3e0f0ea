import type { Knex } from '@platform-backend/postgres';

/** What `book_debits` reads and writes. */
const tables = [
  'balance_thresholds',
  'client_policies',
  'credit_accounts',
  'credit_debits',
  'credit_reservations',
  'ledger_entries',
  'ledger_transactions',
  'outbox',
  'test_clocks',
  'usage_days',
  'usage_member_days',
];

/**
 * Books debits of many organisations in one statement. Row-level security shows the service one organisation at a time, so the function
 * runs as the owner of the tables, to whom their policies show no more than the organisations that it is called with.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of tables) {
    await knex.raw(
      `CREATE POLICY of_the_booked_organisations ON ?? TO CURRENT_USER
         USING (strpos(current_setting('app.booked_organisations', true), ',' || organisation_id || ',') > 0)`,
      [table],
    );
  }
  await knex.raw(bookDebits);
  await knex.raw(`
    REVOKE ALL ON FUNCTION book_debits(jsonb, jsonb, boolean) FROM PUBLIC;
    DO $$ BEGIN
      EXECUTE format('GRANT EXECUTE ON FUNCTION book_debits(jsonb, jsonb, boolean) TO %I', current_setting('platform.app_role'));
    END $$;
  `);
}

/**
 * Any number of debits, each once by its id: debit, balance, ledger, usage and event. A reservation that is still open for one is settled with
 * it, and the rest of that given back; one that was released before, or never was, changes nothing about what is owed. A debit counts
 * for the day on which the work was done.
 *
 * With `opens` an account is opened where there is none, with the version 0 that no other change leaves behind. Without it only organisations
 * are booked for that have an account and no clock of their own, and a lock is not waited for long: there are others in the same transaction.
 * An account changes once for all debits of its organisation, and its ledger tells of one after the other. Answers the organisations that it
 * has booked for, also where all was booked already.
 *
 * Locks are taken in one order: debits, reservations, accounts, each by organisation.
 */
const bookDebits = `
  CREATE FUNCTION book_debits(organisations jsonb, debits jsonb, opens boolean)
  RETURNS TABLE (organisation_id text, opened boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  #variable_conflict use_column
  DECLARE
    scope text := nullif(current_setting('app.organisation_id', true), '');
    named text := (SELECT string_agg(one ->> 'organisation_id', ',') FROM jsonb_array_elements(organisations) AS one);
  BEGIN
    IF named <> scope THEN RAISE EXCEPTION 'debits of another organisation'; END IF;
    PERFORM set_config('app.booked_organisations', ',' || named || ',', true);
    IF NOT opens THEN PERFORM set_config('lock_timeout', '250', true); END IF;
    RETURN QUERY
    WITH asked AS (
      SELECT one.* FROM jsonb_to_recordset(organisations) AS one (organisation_id text, at timestamptz, exhausted jsonb)
      -- By key: the planner would rather read all accounts once for an EXISTS.
      WHERE opens OR (
        (SELECT version FROM credit_accounts a WHERE a.organisation_id = one.organisation_id) IS NOT NULL
        AND (SELECT id FROM test_clocks c WHERE c.organisation_id = one.organisation_id) IS NULL)
    ), given AS (
      SELECT asked.at, one.*
      FROM asked JOIN jsonb_to_recordset(debits) AS one (organisation_id text, id uuid, reservation_id uuid, amount bigint,
        credit_class text, purpose text, work_id text, named_group_id uuid, named_key_id uuid, member_id text, service text,
        occurred_at timestamptz, transaction_id uuid, debited jsonb) USING (organisation_id)
    ), debit AS (
      INSERT INTO credit_debits (organisation_id, id, transaction_id, amount_micros, credit_class, purpose, work_id,
        client_group_id, api_key_id, member_id, reservation_id, service, occurred_at, booked_at)
      SELECT given.organisation_id, given.id, given.transaction_id, given.amount, given.credit_class, given.purpose,
             given.work_id, coalesce(given.named_group_id, r.client_group_id, usual.client_group_id),
             coalesce(given.named_key_id, r.api_key_id), given.member_id, given.reservation_id, given.service,
             given.occurred_at, given.at
      FROM given
      LEFT JOIN LATERAL (
        SELECT r.client_group_id, r.api_key_id FROM credit_reservations r
        WHERE r.organisation_id = given.organisation_id AND r.id = given.reservation_id
      ) AS r ON true
      LEFT JOIN LATERAL (
        SELECT p.client_group_id FROM client_policies p
        WHERE p.organisation_id = given.organisation_id AND p.is_default ORDER BY p.read_at DESC LIMIT 1
      ) AS usual ON true
      ORDER BY given.organisation_id, given.id
      ON CONFLICT DO NOTHING
      RETURNING *
    ), settled AS (
      UPDATE credit_reservations r
      SET status = 'SETTLED', settled_micros = least(r.amount_micros, first.amount_micros),
          finished_at = first.booked_at
      FROM (SELECT DISTINCT ON (organisation_id, reservation_id) * FROM debit WHERE reservation_id IS NOT NULL
            ORDER BY organisation_id, reservation_id, transaction_id) AS first
      WHERE r.organisation_id = first.organisation_id AND r.id = first.reservation_id AND r.status = 'OPEN'
      RETURNING r.organisation_id, first.id AS debit_id, r.id, r.amount_micros
    ), booked AS (
      SELECT debit.*, settled.id AS settled_id, settled.amount_micros AS reserved,
             coalesce(settled.amount_micros, 0) - debit.amount_micros AS change
      FROM debit LEFT JOIN settled ON settled.organisation_id = debit.organisation_id AND settled.debit_id = debit.id
    ), total AS (
      SELECT organisation_id, booked_at, sum(amount_micros)::bigint AS amount,
             coalesce(sum(reserved), 0)::bigint AS reserved, sum(change)::bigint AS change
      FROM booked GROUP BY organisation_id, booked_at
    ), account AS (
      -- Of one that is opened nothing was reserved.
      INSERT INTO credit_accounts AS a (organisation_id, available_micros, reserved_micros, undrawn_micros,
        expiry_held, exhausted_at_version, version, created_at)
      SELECT organisation_id, change, reserved, amount, false, 0, 0, booked_at FROM total ORDER BY organisation_id
      ON CONFLICT (organisation_id) DO UPDATE
      SET available_micros = a.available_micros + excluded.available_micros,
          reserved_micros = a.reserved_micros - excluded.reserved_micros,
          undrawn_micros = a.undrawn_micros + excluded.undrawn_micros,
          version = a.version + 1,
          exhausted_at_version = CASE
            WHEN a.available_micros + excluded.available_micros <= 0 THEN coalesce(a.exhausted_at_version, a.version + 1)
            WHEN excluded.available_micros > 0 THEN NULL
            ELSE a.exhausted_at_version END,
          next_expiry_at = CASE WHEN a.expiry_held AND excluded.available_micros > 0
            THEN excluded.created_at ELSE a.next_expiry_at END
      RETURNING a.organisation_id, a.available_micros, a.exhausted_at_version = a.version AS just_exhausted,
                a.version = 0 AS opened
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id, debit_id, work_id)
      SELECT booked.organisation_id, booked.transaction_id, booked.booked_at, 'DEBIT',
             account.available_micros - total.change
               + sum(booked.change) OVER (PARTITION BY booked.organisation_id ORDER BY booked.transaction_id),
             booked.purpose, booked.settled_id, booked.client_group_id, booked.id, booked.work_id
      FROM booked JOIN account USING (organisation_id) JOIN total USING (organisation_id)
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT booked.organisation_id, booked.transaction_id, entry.account, entry.amount
      FROM booked, LATERAL (VALUES ('reserved', -booked.reserved), ('consumed', booked.amount_micros),
        ('available', booked.change)) AS entry (account, amount)
      WHERE entry.amount <> 0
    ), told AS (
      SELECT jsonb_set(given.debited, '{data}', given.debited -> 'data' || jsonb_build_object(
               'reservation_id', booked.settled_id, 'reserved_micros', booked.reserved::text,
               'client_group_id', booked.client_group_id, 'api_key_id', booked.api_key_id)) AS e
      FROM booked JOIN given USING (organisation_id, id)
      UNION ALL
      SELECT jsonb_set(asked.exhausted, '{data,available_micros}', to_jsonb(account.available_micros::text))
      FROM asked JOIN account USING (organisation_id) WHERE account.just_exhausted
    ), events AS (
      INSERT INTO outbox (id, organisation_id, type, subject, envelope)
      SELECT e ->> 'id', e ->> 'organisationid', e ->> 'type', e ->> 'subject', e FROM told
    ), counted AS (
      SELECT organisation_id, coalesce(client_group_id, '00000000-0000-0000-0000-000000000000') AS client_group_id,
             (occurred_at AT TIME ZONE 'UTC')::date AS day,
             coalesce(api_key_id, '00000000-0000-0000-0000-000000000000') AS api_key_id, member_id,
             CASE credit_class WHEN 'AI' THEN amount_micros ELSE 0 END AS ai,
             CASE credit_class WHEN 'AI' THEN 0 ELSE amount_micros END AS infrastructure
      FROM debit
    ), usage AS (
      INSERT INTO usage_days (organisation_id, day, client_group_id, api_key_id, requests,
        ai_credits_micros, infrastructure_credits_micros)
      SELECT organisation_id, day, client_group_id, api_key_id, 0, sum(ai), sum(infrastructure)
      FROM counted GROUP BY organisation_id, client_group_id, day, api_key_id
      ORDER BY organisation_id, client_group_id, day, api_key_id
      ON CONFLICT (organisation_id, client_group_id, day, api_key_id) DO UPDATE
      SET ai_credits_micros = usage_days.ai_credits_micros + excluded.ai_credits_micros,
          infrastructure_credits_micros =
            usage_days.infrastructure_credits_micros + excluded.infrastructure_credits_micros,
          revision = usage_days.revision + 1
    ), usage_of_members AS (
      INSERT INTO usage_member_days (organisation_id, day, client_group_id, api_key_id, member_id,
        ai_credits_micros, infrastructure_credits_micros)
      SELECT organisation_id, day, client_group_id, api_key_id, member_id, sum(ai), sum(infrastructure)
      FROM counted WHERE member_id IS NOT NULL
      GROUP BY organisation_id, client_group_id, day, api_key_id, member_id
      ORDER BY organisation_id, client_group_id, day, api_key_id, member_id
      ON CONFLICT (organisation_id, client_group_id, day, api_key_id, member_id) DO UPDATE
      SET ai_credits_micros = usage_member_days.ai_credits_micros + excluded.ai_credits_micros,
          infrastructure_credits_micros =
            usage_member_days.infrastructure_credits_micros + excluded.infrastructure_credits_micros
    )
    SELECT asked.organisation_id, coalesce(account.opened, false)
    FROM asked LEFT JOIN account USING (organisation_id);
  END $$`;
