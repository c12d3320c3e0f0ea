import { newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { insertIntoOutbox, runPrepared, type Knex } from '@platform-backend/postgres';
import { outgoing } from '../../record-events.ts';
import { creditsDebited, creditsExhausted } from '../domain/credit-events.ts';
import type { Debit } from '../domain/debit.ts';

/**
 * Books what work has cost, once for each id: debit, balance, ledger, usage and event. A reservation that is still open for it is
 * settled with it, and the rest of that given back; one that was released before, or never was, changes nothing about
 * what is owed. It counts for the day on which the work was done. Answers no row when the debit is booked already.
 *
 * The account is opened where there is none, with the version 0 that no other change leaves behind.
 */
const debitStatement = {
  name: 'book-debit',
  text: `
    WITH given AS (
      SELECT ?::text AS organisation_id, ?::uuid AS id, ?::uuid AS reservation_id, ?::bigint AS amount,
             ?::text AS credit_class, ?::text AS purpose, ?::text AS work_id, ?::uuid AS named_group_id,
             ?::uuid AS named_key_id, ?::text AS member_id, ?::text AS service, ?::timestamptz AS occurred_at,
             ?::timestamptz AS at, ?::uuid AS transaction_id, ?::jsonb AS debited, ?::jsonb AS exhausted
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
      SET status = 'SETTLED', settled_micros = least(r.amount_micros, debit.amount_micros),
          finished_at = debit.booked_at
      FROM debit
      WHERE r.organisation_id = debit.organisation_id AND r.id = debit.reservation_id AND r.status = 'OPEN'
      RETURNING r.id, r.amount_micros
    ), account AS (
      INSERT INTO credit_accounts AS a (organisation_id, available_micros, reserved_micros, undrawn_micros,
        expiry_held, exhausted_at_version, version, created_at)
      SELECT organisation_id, -amount_micros, 0, amount_micros, false, 0, 0, booked_at FROM debit
      ON CONFLICT (organisation_id) DO UPDATE
      SET available_micros =
            a.available_micros + coalesce((SELECT amount_micros FROM settled), 0) - excluded.undrawn_micros,
          reserved_micros = a.reserved_micros - coalesce((SELECT amount_micros FROM settled), 0),
          undrawn_micros = a.undrawn_micros + excluded.undrawn_micros,
          version = a.version + 1,
          exhausted_at_version = CASE
            WHEN a.available_micros + coalesce((SELECT amount_micros FROM settled), 0) <= excluded.undrawn_micros
              THEN coalesce(a.exhausted_at_version, a.version + 1)
            WHEN (SELECT amount_micros FROM settled) > excluded.undrawn_micros THEN NULL
            ELSE a.exhausted_at_version END,
          next_expiry_at = CASE
            WHEN a.expiry_held AND (SELECT amount_micros FROM settled) > excluded.undrawn_micros
              THEN excluded.created_at ELSE a.next_expiry_at END
      RETURNING a.available_micros, a.exhausted_at_version = a.version AS just_exhausted, a.version = 0 AS opened
    ), movement AS (
      INSERT INTO ledger_transactions (organisation_id, id, created_at, kind, available_after_micros, purpose,
        reservation_id, client_group_id, debit_id, work_id)
      SELECT debit.organisation_id, debit.transaction_id, debit.booked_at, 'DEBIT', account.available_micros,
             debit.purpose, settled.id, debit.client_group_id, debit.id, debit.work_id
      FROM account, debit LEFT JOIN settled ON true
    ), entries AS (
      INSERT INTO ledger_entries (organisation_id, transaction_id, account, amount_micros)
      SELECT debit.organisation_id, debit.transaction_id, entry.account, entry.amount
      FROM account, debit LEFT JOIN settled ON true, LATERAL (VALUES ('reserved', -settled.amount_micros),
        ('consumed', debit.amount_micros),
        ('available', coalesce(settled.amount_micros, 0) - debit.amount_micros)) AS entry (account, amount)
      WHERE entry.amount <> 0
    ), told AS (
      SELECT jsonb_set(given.debited, '{data}', given.debited -> 'data' || jsonb_build_object(
               'reservation_id', settled.id, 'reserved_micros', settled.amount_micros::text,
               'client_group_id', debit.client_group_id, 'api_key_id', debit.api_key_id)) AS e
      FROM given, account, debit LEFT JOIN settled ON true
      UNION ALL
      SELECT jsonb_set(given.exhausted, '{data,available_micros}', to_jsonb(account.available_micros::text))
      FROM given, account WHERE account.just_exhausted
    ), events AS (${insertIntoOutbox('told')}
    ), usage AS (
      INSERT INTO usage_days (organisation_id, day, client_group_id, api_key_id, requests,
        ai_credits_micros, infrastructure_credits_micros)
      SELECT organisation_id, (occurred_at AT TIME ZONE 'UTC')::date,
             coalesce(client_group_id, '00000000-0000-0000-0000-000000000000'),
             coalesce(api_key_id, '00000000-0000-0000-0000-000000000000'), 0,
             CASE credit_class WHEN 'AI' THEN amount_micros ELSE 0 END,
             CASE credit_class WHEN 'AI' THEN 0 ELSE amount_micros END
      FROM debit
      ON CONFLICT (organisation_id, client_group_id, day, api_key_id) DO UPDATE
      SET ai_credits_micros = usage_days.ai_credits_micros + excluded.ai_credits_micros,
          infrastructure_credits_micros =
            usage_days.infrastructure_credits_micros + excluded.infrastructure_credits_micros,
          revision = usage_days.revision + 1
    )
    SELECT account.opened FROM account`,
};

/** Books a debit, as part of a transaction, unless it is booked already. True: the account was opened by it. */
export async function bookDebit(trx: Knex.Transaction, by: ActorContext, debit: Debit, at: Date): Promise<boolean> {
  const [row] = await runPrepared<{ opened: boolean }>(trx, debitStatement, [
    by.organisationId,
    debit.id,
    debit.reservationId,
    String(debit.amount),
    debit.creditClass,
    debit.purpose,
    debit.workId,
    debit.clientGroupId,
    debit.apiKeyId,
    debit.memberId,
    debit.service,
    debit.occurredAt,
    at,
    newId(),
    encodeEvent(outgoing(by, creditsDebited(debit, at))),
    encodeEvent(outgoing(by, creditsExhausted(by.organisationId, 0n, at))),
  ] as readonly Knex.RawBinding[]);
  return row?.opened ?? false;
}
