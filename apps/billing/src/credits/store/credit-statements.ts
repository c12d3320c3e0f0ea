import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { insertIntoOutbox, type Database } from '@platform-backend/postgres';
import { outgoing } from '../../record-events.ts';
import { creditsReleased, creditsSettled, type ReleaseReason } from '../domain/credit-events.ts';
import type { ReservationRow } from './credit-reservation-rows.ts';

/*
 * Each of these is one statement on purpose: condition, balance, ledger and event cannot come apart, nothing waits
 * on a network while the account is locked, and replicas need no other agreement. They are prepared by name, since
 * planning one takes longer than running it. They do not NOTIFY the relay: PostgreSQL lets one notifying transaction
 * commit at a time, which is far too few here, so the store wakes the relay itself.
 */

/**
 * Takes what was spent, at most what was reserved, of an open reservation, and gives back the rest. It is counted on
 * the day it is settled, in whose period it was set aside until then; never before the day of the reservation, which
 * another replica's clock may have told.
 */
export const settleStatement = {
  name: 'settle-credits',
  text: `
    WITH given AS (
      SELECT $1::text AS organisation_id, $2::uuid AS id, $3::bigint AS spent, $4::timestamptz AS at,
             $5::uuid AS transaction_id, $6::jsonb AS event
    ), finished AS (
      UPDATE credit_reservations r SET status = 'SETTLED', settled_micros = given.spent, finished_at = given.at
      FROM given
      WHERE r.organisation_id = given.organisation_id AND r.id = given.id
        AND r.status = 'OPEN' AND r.amount_micros >= given.spent
      RETURNING r.*
    ), account AS (
      UPDATE credit_accounts a
      SET available_micros = a.available_micros + f.amount_micros - f.settled_micros,
          reserved_micros = a.reserved_micros - f.amount_micros,
          undrawn_micros = a.undrawn_micros + f.settled_micros,
          version = a.version + 1,
          exhausted_at_version = CASE
            WHEN f.amount_micros > f.settled_micros AND a.available_micros + f.amount_micros - f.settled_micros > 0
            THEN NULL ELSE a.exhausted_at_version END,
          next_expiry_at = CASE WHEN a.expiry_held AND f.amount_micros > f.settled_micros
            THEN f.finished_at ELSE a.next_expiry_at END
      FROM finished f WHERE a.organisation_id = f.organisation_id
      RETURNING a.available_micros
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id)
      SELECT f.organisation_id, given.transaction_id, given.at, 'SETTLE', account.available_micros, f.purpose, f.id,
             f.client_group_id
      FROM given, finished f, account
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT f.organisation_id, given.transaction_id, entry.account, entry.amount
      FROM given, finished f, account, LATERAL (VALUES ('reserved', -f.amount_micros), ('consumed', f.settled_micros),
        ('available', f.amount_micros - f.settled_micros)) AS entry (account, amount)
      WHERE entry.amount <> 0
    ), told AS (
      SELECT jsonb_set(given.event, '{data}', given.event -> 'data' || jsonb_build_object(
               'reserved_micros', f.amount_micros::text, 'purpose', f.purpose,
               'client_group_id', f.client_group_id, 'api_key_id', f.api_key_id)) AS e
      FROM given, finished f, account
    ), events AS (${insertIntoOutbox('told')}
    ), usage AS (
      INSERT INTO usage_days (organisation_id, day, client_group_id, api_key_id, requests,
        ai_credits_micros, infrastructure_credits_micros)
      SELECT f.organisation_id, (greatest(given.at, f.created_at) AT TIME ZONE 'UTC')::date,
             coalesce(f.client_group_id, '00000000-0000-0000-0000-000000000000'),
             coalesce(f.api_key_id, '00000000-0000-0000-0000-000000000000'), 0,
             CASE f.credit_class WHEN 'AI' THEN f.settled_micros ELSE 0 END,
             CASE f.credit_class WHEN 'AI' THEN 0 ELSE f.settled_micros END
      FROM given, finished f, account WHERE f.settled_micros > 0
      ON CONFLICT (organisation_id, client_group_id, day, api_key_id) DO UPDATE
      SET ai_credits_micros = usage_days.ai_credits_micros + excluded.ai_credits_micros,
          infrastructure_credits_micros =
            usage_days.infrastructure_credits_micros + excluded.infrastructure_credits_micros,
          revision = usage_days.revision + 1
    )
    SELECT finished.* FROM finished, account`,
};

/** Gives back open reservations of one organisation; `only_overdue` passes over those that were extended meanwhile. */
export const releaseStatement = {
  name: 'release-credits',
  text: `
    WITH given AS (
      SELECT $1::text AS organisation_id, $2::timestamptz AS at, $3::boolean AS only_overdue
    ), each AS (
      SELECT * FROM unnest($4::uuid[], $5::uuid[], $6::jsonb[]) AS one (id, transaction_id, event)
    ), finished AS (
      UPDATE credit_reservations r SET status = 'RELEASED', finished_at = given.at
      FROM given, each
      WHERE r.organisation_id = given.organisation_id AND r.id = each.id AND r.status = 'OPEN'
        AND (NOT given.only_overdue OR r.expires_at <= given.at)
      RETURNING r.*
    ), total AS (
      SELECT organisation_id, sum(amount_micros)::bigint AS amount FROM finished GROUP BY organisation_id
    ), account AS (
      UPDATE credit_accounts a
      SET available_micros = a.available_micros + total.amount,
          reserved_micros = a.reserved_micros - total.amount,
          version = a.version + 1,
          exhausted_at_version = CASE
            WHEN a.available_micros + total.amount > 0 THEN NULL ELSE a.exhausted_at_version END,
          next_expiry_at = CASE WHEN a.expiry_held THEN given.at ELSE a.next_expiry_at END
      FROM given, total WHERE a.organisation_id = total.organisation_id
      RETURNING a.available_micros, total.amount
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id)
      SELECT f.organisation_id, each.transaction_id, given.at, 'RELEASE',
             account.available_micros - account.amount + sum(f.amount_micros) OVER (ORDER BY each.transaction_id),
             f.purpose, f.id, f.client_group_id
      FROM given, account, finished f JOIN each USING (id)
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT f.organisation_id, each.transaction_id, entry.account, entry.sign * f.amount_micros
      FROM account, finished f JOIN each USING (id),
        (VALUES ('reserved', -1), ('available', 1)) AS entry (account, sign)
    ), told AS (
      SELECT jsonb_set(each.event, '{data}', each.event -> 'data' || jsonb_build_object(
               'amount_micros', f.amount_micros::text, 'purpose', f.purpose)) AS e
      FROM account, finished f JOIN each USING (id)
    ), events AS (${insertIntoOutbox('told')})
    SELECT finished.* FROM finished, account`,
};

/** The settled reservation; undefined when it was not open, or is smaller. */
export async function runSettle(
  database: Database,
  by: ActorContext,
  reservationId: string,
  amount: bigint,
  at: Date,
): Promise<ReservationRow | undefined> {
  const event = encodeEvent(outgoing(by, creditsSettled(reservationId, amount, at)));
  const values = [by.organisationId, reservationId, String(amount), at, newId(), event];
  const [row] = await database.statement<ReservationRow>(by.organisationId, settleStatement, values);
  return row;
}

/** Those of the reservations that were open, released. */
export function runRelease(
  database: Database,
  by: ActorContext,
  reservationIds: readonly string[],
  reason: ReleaseReason,
  at: Date,
): Promise<ReservationRow[]> {
  const events = reservationIds.map((id) => encodeEvent(outgoing(by, creditsReleased(id, reason, at))));
  const values = [
    by.organisationId,
    at,
    reason === 'expired',
    reservationIds,
    reservationIds.map(() => newId()),
    events,
  ];
  return database.statement<ReservationRow>(by.organisationId, releaseStatement, values);
}
