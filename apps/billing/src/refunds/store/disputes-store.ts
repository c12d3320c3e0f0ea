import { newId, type ActorContext } from '@platform-backend/core';
import { listPage, type Database, type Knex } from '@platform-backend/postgres';
import type { GivenBack } from '../../invoices/domain/given-back.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';
import { recordEvents } from '../../record-events.ts';
import { sourcesSoldBy } from '../../subscriptions/domain/plan-credits.ts';
import { sourceOfChange } from '../../subscriptions/domain/subscription-change.ts';
import { changeOfRow } from '../../subscriptions/store/subscription-columns.ts';
import { afterReport, disputeClosed, disputedCredits, disputeOpened, type Dispute } from '../domain/dispute.ts';
import type { Refunds } from '../domain/refunds.ts';
import { disputeColumns } from './refund-columns.ts';
import { returnCredits, takeCredits } from './taken-back.ts';

interface DisputeRow {
  id: string;
  created_at: Date;
}

/** Disputes in PostgreSQL, and what they and refunds have taken of invoices. */
export const disputesStore = (database: Database): Pick<Refunds, 'givenBack' | 'listDisputes' | 'recordDispute'> => ({
  recordDispute: (by, payment, report, at) =>
    database.tenant(by.organisationId, async (trx) => {
      // Reports about one payment come one after the other.
      await trx('payments').where({ organisation_id: by.organisationId, id: payment.id }).forUpdate().first('id');
      const named = { organisation_id: by.organisationId, reference: report.reference };
      const row = await trx('disputes').where(named).first<object | undefined>();
      if (!row && report.isInquiry) return;
      const known = row ? disputeColumns.read(row) : await openDispute(trx, by, payment, report, at);
      const after = afterReport(known, report);
      if (after === known) return;
      await trx('disputes').where(named).update({ state: after.state });
      if (after.state === 'WON') {
        const returned = { source: `dispute_won:${after.id}`, amount: after.creditsMicros, expiresAt: null };
        await returnCredits(trx, by, returned, at);
      }
      await recordEvents(trx, by, [disputeClosed(after, at)]);
    }),

  listDisputes: (organisationId, page) =>
    database.tenant(organisationId, (trx) => {
      const disputes = trx('disputes').where({ organisation_id: organisationId });
      const rows = disputes as Knex.QueryBuilder<object, DisputeRow[]>;
      return listPage(rows, page, { order: 'desc', read: (found) => found.map(disputeColumns.read) });
    }),

  givenBack: (organisationId, invoiceIds) =>
    database.tenant(organisationId, async (trx) => {
      const { rows } = await trx.raw<{ rows: { invoice_id: string; refunded: string; disputed: string }[] }>(
        `SELECT invoice_id, sum(refunded) AS refunded, sum(disputed) AS disputed FROM (
           SELECT invoice_id, amount_minor AS refunded, 0 AS disputed FROM refunds
           WHERE organisation_id = :organisationId AND invoice_id = ANY(:ids) AND state <> 'FAILED'
           UNION ALL
           SELECT invoice_id, 0, amount_minor FROM disputes
           WHERE organisation_id = :organisationId AND invoice_id = ANY(:ids) AND state <> 'WON'
         ) AS given GROUP BY invoice_id`,
        { organisationId, ids: [...invoiceIds] },
      );
      return new Map(
        rows.map(({ invoice_id: id, refunded, disputed }): [string, GivenBack] => [
          id,
          { refundedMinor: BigInt(refunded), disputedMinor: BigInt(disputed) },
        ]),
      );
    }),
});

/** What a payment has bought: its invoice, and the credits that came with it. */
interface Bought {
  /** Of the invoice. */
  readonly source: string;
  readonly grants: readonly string[];
}

async function boughtWith(trx: Knex.Transaction, { organisationId, purpose, subjectId: id }: Payment): Promise<Bought> {
  if (purpose === 'CREDIT_PURCHASE') return { source: `purchase:${id}`, grants: [`purchase:${id}`] };
  const row = await trx('subscription_changes')
    .where({ organisation_id: organisationId, id })
    .first<object | undefined>();
  const change = row && changeOfRow(row);
  // It may have paid the invoice of another one, whose payment was refused.
  return { source: sourceOfChange(change?.paysInvoiceOf ?? id), grants: change ? sourcesSoldBy(change) : [] };
}

/** Whether something was given for a payment: of several for one purchase or change it is for one of them alone. */
async function isBooked(trx: Knex.Transaction, { organisationId, subjectId, reference, purpose }: Payment) {
  const named = { organisation_id: organisationId, id: subjectId, processor_reference: reference };
  const booked =
    purpose === 'CREDIT_PURCHASE'
      ? trx('credit_purchases').where({ ...named, status: 'SUCCEEDED' })
      : trx('subscription_changes').where({ ...named, outcome: 'accepted' });
  return (await booked.first<object | undefined>('id')) !== undefined;
}

/**
 * What was granted for something that was bought, without what a change of the plan has taken back of it. Of what came with a cycle that is over there
 * is nothing left to take back.
 */
async function grantedFor(trx: Knex.Transaction, organisationId: string, sources: readonly string[], at: Date) {
  const { rows } = await trx.raw<{ rows: { source: string; micros: string }[] }>(
    `SELECT source, amount_micros - coalesce((
       SELECT sum(entry.amount_micros) FROM ledger_transactions AS moved
       JOIN ledger_entries AS entry ON entry.organisation_id = moved.organisation_id AND entry.transaction_id = moved.id
       WHERE moved.organisation_id = :organisationId AND moved.grant_id = given.id
         AND moved.purpose LIKE 'plan_change:%' AND entry.account = 'refunded'), 0) AS micros
     FROM credit_grants AS given
     WHERE organisation_id = :organisationId AND source = ANY(:sources) AND (kind = 'PURCHASE' OR expires_at > :at)`,
    { organisationId, sources: [...sources], at },
  );
  return rows;
}

/** Of the credits that a payment has bought, by refunds that have not failed and by disputes that are not won. */
async function takenCredits(trx: Knex.Transaction, organisationId: string, paymentId: string): Promise<bigint> {
  const { rows } = await trx.raw<{ rows: [{ micros: string }] }>(
    `SELECT coalesce(sum(credits_micros), 0) AS micros FROM (
       SELECT credits_micros FROM refunds WHERE organisation_id = :organisationId AND payment_id = :paymentId AND state <> 'FAILED'
       UNION ALL
       SELECT credits_micros FROM disputes WHERE organisation_id = :organisationId AND payment_id = :paymentId AND state <> 'WON'
     ) AS taken`,
    { organisationId, paymentId },
  );
  return BigInt(rows[0].micros);
}

/** What the payment had bought is taken back, also where it is spent; nothing, where another payment has bought it. */
async function openDispute(
  trx: Knex.Transaction,
  by: ActorContext,
  payment: Payment,
  { reference, amountMinor, currency, reason }: ReportedDispute,
  at: Date,
): Promise<Dispute> {
  const { organisationId } = by;
  const { source, grants } = await boughtWith(trx, payment);
  const of = { organisation_id: organisationId, source };
  const isOfInvoice = await isBooked(trx, payment);
  const invoice = isOfInvoice ? await trx('invoices').where(of).first<{ id: string } | undefined>('id') : undefined;
  const bought = isOfInvoice ? await grantedFor(trx, organisationId, grants, at) : [];
  const credits = {
    boughtMicros: bought.reduce((sum, { micros }) => sum + BigInt(micros), 0n),
    takenMicros: await takenCredits(trx, organisationId, payment.id),
  };
  const creditsMicros = disputedCredits(credits, amountMinor, payment.amountMinor);
  const dispute: Dispute = {
    ...{ id: newId(), organisationId, reference, paymentId: payment.id, invoiceId: invoice?.id ?? null },
    ...{ state: 'OPEN', amountMinor, currency, reason, creditsMicros, createdAt: at },
  };
  await trx('disputes').insert(disputeColumns.write(dispute));
  const taken = { source: bought[0]?.source ?? source, amount: creditsMicros, purpose: `dispute:${dispute.id}` };
  const why = { code: 'payment_disputed', always: payment.purpose === 'CREDIT_PURCHASE' } as const;
  await takeCredits(trx, by, taken, why, at);
  await recordEvents(trx, by, [disputeOpened(dispute)]);
  return dispute;
}
