import { newId, type ActorContext } from '@platform-backend/core';
import { listPage, type Database, type Knex } from '@platform-backend/postgres';
import { lockBalance } from '../../credits/store/credit-holding-rows.ts';
import type { GivenBack } from '../../invoices/domain/given-back.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';
import { recordEvents } from '../../record-events.ts';
import { afterReport, disputeClosed, disputedCredits, disputeOpened, type Dispute } from '../domain/dispute.ts';
import type { Refunds } from '../domain/refunds.ts';
import { boughtWith, grantedOf, isBooked, returnCredits, takenOf } from './bought-credits.ts';
import { disputeColumns } from './refund-columns.ts';
import { takeCredits } from './taken-back.ts';

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
      // And none while credits come that it may have bought.
      await lockBalance(trx, by, at);
      const named = { organisation_id: by.organisationId, reference: report.reference };
      const row = await trx('disputes').where(named).first<object | undefined>();
      if (!row && report.isInquiry) return;
      const known = row ? disputeColumns.read(row) : await openDispute(trx, by, payment, report, at);
      const after = afterReport(known, report);
      if (after === known) return;
      await trx('disputes').where(named).update({ state: after.state });
      if (after.state === 'WON') {
        const returned = { source: `dispute_won:${after.id}`, purpose: purposeOf(after) };
        await returnCredits(trx, by, returned, after.createdAt, at);
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

/** Of what is taken back for it, in the ledger. */
const purposeOf = ({ id }: Dispute): string => `dispute:${id}`;

/** What the payment had bought is taken back, also where it is spent; nothing, where another payment has bought it. */
async function openDispute(
  trx: Knex.Transaction,
  by: ActorContext,
  payment: Payment,
  { reference, amountMinor, currency, reason }: ReportedDispute,
  at: Date,
): Promise<Dispute> {
  const { organisationId } = by;
  const { source, credits: sold } = await boughtWith(trx, payment);
  const of = { organisation_id: organisationId, source };
  const isOfInvoice = await isBooked(trx, payment);
  const invoice = isOfInvoice ? await trx('invoices').where(of).first<{ id: string } | undefined>('id') : undefined;
  const bought = isOfInvoice ? await grantedOf(trx, organisationId, sold, at) : [];
  const credits = {
    boughtMicros: bought.reduce((sum, { micros }) => sum + micros, 0n),
    takenMicros: await takenOf(trx, payment, bought),
  };
  const creditsMicros = disputedCredits(credits, amountMinor, payment.amountMinor);
  const dispute: Dispute = {
    ...{ id: newId(), organisationId, reference, paymentId: payment.id, invoiceId: invoice?.id ?? null },
    ...{ state: 'OPEN', amountMinor, currency, reason, creditsMicros, createdAt: at },
  };
  await trx('disputes').insert(disputeColumns.write(dispute));
  const taken = { source: bought[0]?.source ?? source, amount: creditsMicros, purpose: purposeOf(dispute) };
  const why = { code: 'payment_disputed', always: payment.purpose === 'CREDIT_PURCHASE' } as const;
  await takeCredits(trx, by, taken, why, at);
  await recordEvents(trx, by, [disputeOpened(dispute)]);
  return dispute;
}
