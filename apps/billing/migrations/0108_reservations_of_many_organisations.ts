import type { Knex } from '@platform-backend/postgres';

/**
 * Reserves credits for any number of organisations in one statement. As `book_debits` of migration 0105 it runs as the owner of the tables,
 * whose policies show it the organisations that it is called with and no others.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(reserveCredits);
  await knex.raw(`
    REVOKE ALL ON FUNCTION reserve_credits(jsonb, boolean) FROM PUBLIC;
    DO $$ BEGIN
      EXECUTE format('GRANT EXECUTE ON FUNCTION reserve_credits(jsonb, boolean) TO %I', current_setting('platform.app_role'));
    END $$;
  `);
}

/**
 * One reservation of each organisation. Credits are set aside if the account has them, none of its grants is about to expire, the id is new,
 * and what the client group has spent and set aside leaves room below its hard limit, if it has one. Without a group it counts for the
 * default one. Nothing is done unless the group's policy was heard of after `heard_after`; null: whatever is known of it holds.
 *
 * Each is decided with its account locked. With `waits` it is one reservation, and always answered with a row; without, no lock is waited for
 * and those whose account is locked, or is not there, are left out of the answer. Without `available_micros` nothing was reserved.
 * A repetition at the very same moment fails with `credit_reservations_pkey`.
 */
const reserveCredits = `
  CREATE FUNCTION reserve_credits(reservations jsonb, waits boolean)
  RETURNS TABLE (organisation_id text, available_micros bigint, client_group_id uuid, believed boolean,
    group_limit numeric, group_limit_since text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  #variable_conflict use_column
  DECLARE
    scope text := nullif(current_setting('app.organisation_id', true), '');
    named text[] := ARRAY(SELECT one ->> 'organisation_id' FROM jsonb_array_elements(reservations) AS one);
    locked text[];
  BEGIN
    IF array_to_string(named, ',') <> scope THEN RAISE EXCEPTION 'reservations of another organisation'; END IF;
    PERFORM set_config('app.booked_organisations', ',' || array_to_string(named, ',') || ',', true);
    IF waits THEN
      PERFORM FROM credit_accounts a WHERE a.organisation_id = ANY(named) FOR NO KEY UPDATE;
      locked := named;
    ELSE
      locked := ARRAY(SELECT a.organisation_id FROM credit_accounts a WHERE a.organisation_id = ANY(named)
                      ORDER BY a.organisation_id FOR NO KEY UPDATE SKIP LOCKED);
    END IF;
    RETURN QUERY
    WITH given AS (
      SELECT asked.*, coalesce(asked.named_group_id, known.client_group_id) AS client_group_id,
             asked.heard_after IS NULL OR coalesce(known.read_at > asked.heard_after, false) AS believed,
             max.amount AS group_limit, max.since AS group_limit_since
      FROM jsonb_to_recordset(reservations) AS asked (organisation_id text, id uuid, amount bigint, purpose text,
        credit_class text, named_group_id uuid, api_key_id uuid, service text, at timestamptz, expires_at timestamptz,
        transaction_id uuid, reserved jsonb, exhausted jsonb, heard_after timestamptz, limits_at timestamptz)
      LEFT JOIN LATERAL (
        (SELECT * FROM client_policies p
         WHERE p.organisation_id = asked.organisation_id AND p.client_group_id = asked.named_group_id)
        UNION ALL
        (SELECT * FROM client_policies p
         WHERE asked.named_group_id IS NULL AND p.organisation_id = asked.organisation_id AND p.is_default
         ORDER BY p.read_at DESC LIMIT 1)
      ) AS known ON true
      LEFT JOIN LATERAL group_credit_limit(known.policy, known.counted_from, asked.credit_class, asked.limits_at) AS max ON true
      WHERE asked.organisation_id = ANY(locked)
    ), account AS (
      UPDATE credit_accounts a
      SET available_micros = a.available_micros - given.amount,
          reserved_micros = a.reserved_micros + given.amount,
          version = a.version + 1,
          exhausted_at_version = CASE WHEN a.available_micros = given.amount
            THEN coalesce(a.exhausted_at_version, a.version + 1) ELSE a.exhausted_at_version END
      FROM given
      WHERE a.organisation_id = given.organisation_id AND a.available_micros >= given.amount
        AND (a.next_expiry_at IS NULL OR a.next_expiry_at > given.at)
        AND NOT EXISTS (SELECT FROM credit_reservations r
                        WHERE r.organisation_id = given.organisation_id AND r.id = given.id)
        AND given.believed AND CASE WHEN given.group_limit IS NULL THEN true ELSE
          group_credits(given.organisation_id, given.client_group_id, given.credit_class, given.group_limit_since)
            + given.amount <= given.group_limit END
      RETURNING a.organisation_id, a.available_micros, a.exhausted_at_version = a.version AS just_exhausted
    ), taken AS (
      SELECT given.*, account.available_micros, account.just_exhausted FROM given JOIN account USING (organisation_id)
    ), reservation AS (
      INSERT INTO credit_reservations (organisation_id, id, status, amount_micros, settled_micros, purpose,
        credit_class, client_group_id, api_key_id, service, created_at, expires_at)
      SELECT organisation_id, id, 'OPEN', amount, 0, purpose,
             credit_class, client_group_id, api_key_id, service, at, expires_at FROM taken
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id)
      SELECT organisation_id, transaction_id, at, 'RESERVE', available_micros, purpose, id, client_group_id FROM taken
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT organisation_id, transaction_id, entry.account, entry.sign * amount
      FROM taken, (VALUES ('available', -1), ('reserved', 1)) AS entry (account, sign)
    ), told AS (
      SELECT jsonb_set(reserved, '{data,client_group_id}', coalesce(to_jsonb(client_group_id), 'null')) AS e FROM taken
      UNION ALL SELECT exhausted FROM taken WHERE just_exhausted
    ), events AS (
      INSERT INTO outbox (id, organisation_id, type, subject, envelope)
      SELECT e ->> 'id', e ->> 'organisationid', e ->> 'type', e ->> 'subject', e FROM told
    )
    SELECT given.organisation_id, account.available_micros, given.client_group_id, given.believed,
           given.group_limit, given.group_limit_since::text
    FROM given LEFT JOIN account USING (organisation_id);
  END $$`;
