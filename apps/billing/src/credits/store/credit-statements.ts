import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { insertIntoOutbox, type Database } from '@platform-backend/postgres';
import { outgoing } from '../../record-events.ts';
import type { PolicyTimes } from '../domain/credit-accounts.ts';
import {
  creditsExhausted,
  creditsReleased,
  creditsReserved,
  creditsSettled,
  type ReleaseReason,
} from '../domain/credit-events.ts';
import type { NewReservation } from '../domain/reservation.ts';
import type { ReservationRow } from './credit-reservation-rows.ts';

/*
 * Each of these is one statement on purpose: condition, balance, ledger and event cannot come apart, nothing waits
 * on a network while the account is locked, and replicas need no other agreement. They are prepared by name, since
 * planning one takes longer than running it. They do not NOTIFY the relay: PostgreSQL lets one notifying transaction
 * commit at a time, which is far too few here, so the store wakes the relay itself.
 */

/**
 * Sets credits aside if the account has them, none of its grants is about to expire, the id is new, and what the client
 * group has spent and set aside leaves room below its hard limit, if it has one. Without a group it counts for the
 * default one. Nothing is done unless the group's policy was heard of after `$14`; null: whatever is known of it holds.
 *
 * Whoever reserves of the same account meanwhile makes PostgreSQL look at the condition once more, with the account
 * locked, so the account's lock is enough for groups as well. Always answers one row; without `available_micros` nothing
 * was reserved. A repetition at the very same moment fails with `credit_reservations_pkey`.
 */
export const reserveStatement = {
  name: 'reserve-credits',
  text: `
    WITH asked AS (
      SELECT $1::text AS organisation_id, $2::uuid AS id, $3::bigint AS amount, $4::text AS purpose,
             $5::text AS credit_class, $6::uuid AS named_group_id, $7::uuid AS api_key_id, $8::text AS service,
             $9::timestamptz AS at, $10::timestamptz AS expires_at, $11::uuid AS transaction_id,
             $12::jsonb AS reserved, $13::jsonb AS exhausted, $14::timestamptz AS heard_after,
             $15::timestamptz AS limits_at
    ), given AS (
      SELECT asked.*, coalesce(named_group_id, known.client_group_id) AS client_group_id,
             heard_after IS NULL OR coalesce(known.read_at > heard_after, false) AS believed,
             max.amount AS group_limit, max.since AS group_limit_since
      FROM asked
      LEFT JOIN LATERAL (
        (SELECT * FROM client_policies p
         WHERE p.organisation_id = asked.organisation_id AND p.client_group_id = named_group_id)
        UNION ALL
        (SELECT * FROM client_policies p
         WHERE named_group_id IS NULL AND p.organisation_id = asked.organisation_id AND p.is_default
         ORDER BY p.read_at DESC LIMIT 1)
      ) AS known ON true
      LEFT JOIN LATERAL group_credit_limit(known.policy, known.counted_from, credit_class, limits_at) AS max ON true
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
      RETURNING a.available_micros, a.exhausted_at_version = a.version AS just_exhausted
    ), reservation AS (
      INSERT INTO credit_reservations (organisation_id, id, status, amount_micros, settled_micros, purpose,
        credit_class, client_group_id, api_key_id, service, created_at, expires_at)
      SELECT organisation_id, id, 'OPEN', amount, 0, purpose,
             credit_class, client_group_id, api_key_id, service, at, expires_at FROM given, account
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id)
      SELECT organisation_id, transaction_id, at, 'RESERVE', available_micros, purpose, id, client_group_id
      FROM given, account
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT organisation_id, transaction_id, entry.account, entry.sign * amount
      FROM given, account, (VALUES ('available', -1), ('reserved', 1)) AS entry (account, sign)
    ), told AS (
      SELECT jsonb_set(reserved, '{data,client_group_id}', coalesce(to_jsonb(client_group_id), 'null')) AS e
      FROM given, account
      UNION ALL SELECT exhausted FROM given, account WHERE just_exhausted
    ), events AS (${insertIntoOutbox('told')})
    SELECT available_micros, client_group_id, believed, group_limit, group_limit_since::text
    FROM given LEFT JOIN account ON true`,
};

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
          exhausted_at_version = CASE WHEN f.amount_micros > f.settled_micros THEN NULL ELSE a.exhausted_at_version END,
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
          exhausted_at_version = NULL,
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

export interface ReserveRow {
  /** Null: nothing was reserved. */
  available_micros: string | null;
  client_group_id: string | null;
  /** Whether the policy of the group was heard of lately enough. */
  believed: boolean;
  /** What the group may have spent and set aside since the day; null: it has no hard limit. */
  group_limit: string | null;
  group_limit_since: string | null;
}

export async function runReserve(
  database: Database,
  by: ActorContext,
  wanted: NewReservation,
  at: Date,
  policy: PolicyTimes,
): Promise<ReserveRow> {
  const values = reserveValues(by, wanted, at, policy);
  const [row] = await database.statement<ReserveRow>(by.organisationId, reserveStatement, values);
  if (!row) throw new Error('reserving answers always');
  return row;
}

/** The values of `reserveStatement`, in order. */
export const reserveValues = (
  by: ActorContext,
  wanted: NewReservation,
  at: Date,
  policy: PolicyTimes,
): readonly unknown[] => [
  by.organisationId,
  wanted.id,
  String(wanted.amount),
  wanted.purpose,
  wanted.creditClass,
  wanted.clientGroupId,
  wanted.apiKeyId,
  wanted.service,
  at,
  wanted.expiresAt,
  newId(),
  encodeEvent(outgoing(by, creditsReserved(wanted, at))),
  encodeEvent(outgoing(by, creditsExhausted(by.organisationId, 0n, at))),
  policy.heardAfter,
  policy.at,
];

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
