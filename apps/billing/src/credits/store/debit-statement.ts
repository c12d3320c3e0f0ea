import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { insertIntoOutbox, runPrepared, type Knex } from '@platform-backend/postgres';
import { outgoing } from '../../record-events.ts';
import { creditsDebited, creditsExhausted } from '../domain/credit-events.ts';
import type { Debit } from '../domain/debit.ts';

/**
 * Books what work of one organisation has cost, any number of debits in one statement, each once by its id: debit, balance,
 * ledger, usage and event. A reservation that is still open for one is settled with it, and the rest of that given back;
 * one that was released before, or never was, changes nothing about what is owed. A debit counts for the day on which the
 * work was done. Answers no row when all of them are booked already.
 *
 * The account is opened where there is none, with the version 0 that no other change leaves behind. It changes once for
 * all of them, and the ledger tells of one debit after the other.
 */
export const debitStatement = {
  name: 'book-debits',
  text: `
    WITH asked AS (
      SELECT ?::text AS organisation_id, ?::timestamptz AS at, ?::jsonb AS exhausted
    ), given AS (
      SELECT asked.organisation_id, asked.at, one.*
      FROM asked, jsonb_to_recordset(?::jsonb) AS one (id uuid, reservation_id uuid, amount bigint, credit_class text,
        purpose text, work_id text, named_group_id uuid, named_key_id uuid, member_id text, service text,
        occurred_at timestamptz, transaction_id uuid, debited jsonb)
    ), debit AS (
      INSERT INTO credit_debits (organisation_id, id, transaction_id, amount_micros, credit_class, purpose, work_id,
        client_group_id, api_key_id, member_id, reservation_id, service, occurred_at, booked_at)
      SELECT given.organisation_id, given.id, given.transaction_id, given.amount, given.credit_class, given.purpose,
             given.work_id, coalesce(given.named_group_id, r.client_group_id, usual.client_group_id),
             coalesce(given.named_key_id, r.api_key_id), given.member_id, given.reservation_id, given.service,
             given.occurred_at, given.at
      FROM given
      LEFT JOIN credit_reservations r ON r.organisation_id = given.organisation_id AND r.id = given.reservation_id
      LEFT JOIN client_policies usual ON usual.organisation_id = given.organisation_id AND usual.is_default
      ON CONFLICT DO NOTHING
      RETURNING *
    ), settled AS (
      UPDATE credit_reservations r
      SET status = 'SETTLED', settled_micros = least(r.amount_micros, first.amount_micros),
          finished_at = first.booked_at
      FROM (SELECT DISTINCT ON (reservation_id) * FROM debit ORDER BY reservation_id, transaction_id) AS first
      WHERE r.organisation_id = first.organisation_id AND r.id = first.reservation_id AND r.status = 'OPEN'
      RETURNING first.id AS debit_id, r.id, r.amount_micros
    ), booked AS (
      SELECT debit.*, settled.id AS settled_id, settled.amount_micros AS reserved,
             coalesce(settled.amount_micros, 0) - debit.amount_micros AS change
      FROM debit LEFT JOIN settled ON settled.debit_id = debit.id
    ), total AS (
      SELECT organisation_id, booked_at, sum(amount_micros)::bigint AS amount,
             coalesce(sum(reserved), 0)::bigint AS reserved, sum(change)::bigint AS change
      FROM booked GROUP BY organisation_id, booked_at
    ), account AS (
      INSERT INTO credit_accounts AS a (organisation_id, available_micros, reserved_micros, undrawn_micros,
        expiry_held, exhausted_at_version, version, created_at)
      SELECT organisation_id, -amount, 0, amount, false, 0, 0, booked_at FROM total
      ON CONFLICT (organisation_id) DO UPDATE
      SET available_micros = a.available_micros + (SELECT change FROM total),
          reserved_micros = a.reserved_micros - (SELECT reserved FROM total),
          undrawn_micros = a.undrawn_micros + excluded.undrawn_micros,
          version = a.version + 1,
          exhausted_at_version = CASE
            WHEN a.available_micros + (SELECT change FROM total) <= 0
              THEN coalesce(a.exhausted_at_version, a.version + 1)
            WHEN (SELECT change FROM total) > 0 THEN NULL
            ELSE a.exhausted_at_version END,
          next_expiry_at = CASE WHEN a.expiry_held AND (SELECT change FROM total) > 0
            THEN excluded.created_at ELSE a.next_expiry_at END
      RETURNING a.available_micros, a.exhausted_at_version = a.version AS just_exhausted, a.version = 0 AS opened
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id, debit_id, work_id)
      SELECT booked.organisation_id, booked.transaction_id, booked.booked_at, 'DEBIT',
             account.available_micros - total.change + sum(booked.change) OVER (ORDER BY booked.transaction_id),
             booked.purpose, booked.settled_id, booked.client_group_id, booked.id, booked.work_id
      FROM account, total, booked
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT booked.organisation_id, booked.transaction_id, entry.account, entry.amount
      FROM account, booked, LATERAL (VALUES ('reserved', -booked.reserved), ('consumed', booked.amount_micros),
        ('available', booked.change)) AS entry (account, amount)
      WHERE entry.amount <> 0
    ), told AS (
      SELECT jsonb_set(given.debited, '{data}', given.debited -> 'data' || jsonb_build_object(
               'reservation_id', booked.settled_id, 'reserved_micros', booked.reserved::text,
               'client_group_id', booked.client_group_id, 'api_key_id', booked.api_key_id)) AS e
      FROM account, booked JOIN given USING (id)
      UNION ALL
      SELECT jsonb_set(asked.exhausted, '{data,available_micros}', to_jsonb(account.available_micros::text))
      FROM asked, account WHERE account.just_exhausted
    ), events AS (${insertIntoOutbox('told')}
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
      ORDER BY client_group_id, day, api_key_id
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
      ON CONFLICT (organisation_id, client_group_id, day, api_key_id, member_id) DO UPDATE
      SET ai_credits_micros = usage_member_days.ai_credits_micros + excluded.ai_credits_micros,
          infrastructure_credits_micros =
            usage_member_days.infrastructure_credits_micros + excluded.infrastructure_credits_micros
    )
    SELECT account.opened FROM account`,
};

/** A debit, and on whose behalf it is told. */
export interface OwedWork {
  readonly by: ActorContext;
  readonly debit: Debit;
}

/** Books debits of one organisation, as part of a transaction, but for those that are booked already. True: the account was opened by it. */
export async function bookDebits(trx: Knex.Transaction, owed: readonly OwedWork[], at: Date): Promise<boolean> {
  const values = debitValues(owed, at) as readonly Knex.RawBinding[];
  const [row] = await runPrepared<{ opened: boolean }>(trx, debitStatement, values);
  return row?.opened ?? false;
}

/** The values of `debitStatement`, in order: of one debit at least, all of one organisation. */
export function debitValues(owed: readonly OwedWork[], at: Date): readonly unknown[] {
  const [first] = owed;
  if (!first) throw new Error('there is nothing to book');
  const { organisationId } = first.by;
  return [
    organisationId,
    at,
    encodeEvent(outgoing(first.by, creditsExhausted(organisationId, 0n, at))),
    // One that comes twice is known by its id.
    `[${[...new Map(owed.map((one) => [one.debit.id, one])).values()].map((one) => recordOf(one, at)).join(',')}]`,
  ];
}

function recordOf({ by, debit }: OwedWork, at: Date): string {
  const fields = JSON.stringify({
    id: debit.id,
    reservation_id: debit.reservationId,
    amount: String(debit.amount),
    credit_class: debit.creditClass,
    purpose: debit.purpose,
    work_id: debit.workId,
    named_group_id: debit.clientGroupId,
    named_key_id: debit.apiKeyId,
    member_id: debit.memberId,
    service: debit.service,
    occurred_at: debit.occurredAt,
    transaction_id: newId(),
  });
  return `${fields.slice(0, -1)},"debited":${encodeEvent(outgoing(by, creditsDebited(debit, at)))}}`;
}
