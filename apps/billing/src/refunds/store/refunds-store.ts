import type { ActorContext } from '@platform-backend/core';
import { listPage, type Database, type Knex } from '@platform-backend/postgres';
import { invoiceNotFound } from '../../invoices/domain/errors.ts';
import { creditNoteColumns, saveCreditNote } from '../../invoices/store/credit-note-rows.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import { recordEvents } from '../../record-events.ts';
import { firstDueAt, inScope } from '../../test-clocks/store/in-scope.ts';
import { creditNoteNotFound, nothingToRefund, refundNotFound } from '../domain/errors.ts';
import {
  newSurplusRefund,
  refundCreated,
  refundFailed,
  refundSucceeded,
  type Refund,
  type Refundable,
} from '../domain/refund.ts';
import type { RefundName, Refunds, ShownCreditNote } from '../domain/refunds.ts';
import { returnCredits } from './bought-credits.ts';
import { disputesStore } from './disputes-store.ts';
import { refundColumns, type RefundRow } from './refund-columns.ts';
import { takeBalance, takeCredits, unusedOf } from './taken-back.ts';

/** Shows the schedule the refunds of all organisations, and nothing that could be changed. */
const schedule = { 'app.schedule': 'refunds' };

/** Refunds in PostgreSQL. */
export const refundsStore = (database: Database): Refunds => ({
  ...disputesStore(database),

  begin: (by, invoiceId, unused, at, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const { of, source } = await refundable(trx, by, invoiceId, unused, at);
      const refund = decide(of);
      const { id, createdAt } = refund;
      await trx('refunds').insert(refundColumns.write(refund));
      const taken = { source, amount: refund.creditsMicros, purpose: `refund:${id}` };
      await takeCredits(trx, by, taken, { code: 'payment_refunded', always: false }, createdAt);
      await takeBalance(trx, by.organisationId, refund.balanceMinor);
      await recordEvents(trx, by, [refundCreated(refund)]);
      return refund;
    }),

  beginSurplus: (by, payment, refundId, at) =>
    database.tenant(by.organisationId, async (trx) => {
      const { id } = payment;
      await trx('payments').where({ organisation_id: by.organisationId, id }).forUpdate().first('id');
      const known = await surplusOf(trx, payment).first<object | undefined>();
      if (known) return refundColumns.read(known);
      const left = payment.amountMinor - (await givenBackOf(trx, by.organisationId, id));
      if (left <= 0n) return null;
      const request = { id: refundId, requestedBy: by.actor, requestId: by.requestId, at };
      const refund = newSurplusRefund(payment, left, request);
      await trx('refunds').insert(refundColumns.write(refund));
      await recordEvents(trx, by, [refundCreated(refund)]);
      return refund;
    }),

  isSurplus: (payment) =>
    database.tenant(
      payment.organisationId,
      async (trx) => (await surplusOf(trx, payment).first<object | undefined>('id')) !== undefined,
    ),

  get: (name) =>
    database.tenant(name.organisationId, async (trx) => {
      const row = await named(trx, name).first();
      return row ? refundColumns.read(row) : null;
    }),

  list: (organisationId, invoiceId, page) =>
    database.tenant(organisationId, (trx) => {
      const refunds = trx('refunds').where({ organisation_id: organisationId });
      if (invoiceId !== null) void refunds.where({ invoice_id: invoiceId });
      const rows = refunds as Knex.QueryBuilder<object, RefundRow[]>;
      return listPage(rows, page, { order: 'desc', read: (found) => found.map(refundColumns.read) });
    }),

  take: (name, at, leaseUntil) =>
    database.tenant(name.organisationId, async (trx) => {
      const row = await named(trx, name).where('next_look_at', '<=', at).forUpdate().skipLocked().first();
      if (!row) return null;
      await named(trx, name).update({ next_look_at: leaseUntil });
      return refundColumns.read(row);
    }),

  update: (name, by, at, decide) =>
    database.tenant(name.organisationId, async (trx) => {
      const row = await named(trx, name).forUpdate().first();
      if (!row) throw refundNotFound();
      const before = refundColumns.read(row);
      const after = decide(before);
      if (after === before) return before;
      if (after.state === 'FAILED') await undo(trx, by, after, at);
      await named(trx, name).update(refundColumns.write(after));
      if (after.state === 'SUCCEEDED')
        await recordEvents(trx, by, [refundSucceeded(after, await creditNoteOf(trx, after, at), at)]);
      return after;
    }),

  due: (at, scope, limit) =>
    database.system(schedule, async (trx) => {
      const rows = await inScope(trx<RefundRow>('refunds'), scope)
        .where('next_look_at', '<=', at)
        .orderBy('next_look_at')
        .limit(limit)
        .select('organisation_id', 'id');
      return rows.map(({ organisation_id: organisationId, id }) => ({ organisationId, id }));
    }),

  firstDueAt: (scope) => database.system(schedule, (trx) => firstDueAt(trx('refunds'), scope, 'next_look_at')),

  nextDueAt: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const of = trx<RefundRow>('refunds').where({ organisation_id: organisationId });
      const [next] = await of.min<{ at: Date | null }[]>({ at: 'next_look_at' });
      return next?.at ?? null;
    }),

  creditNote: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await creditNotes(trx, organisationId).where('credit_notes.id', id).first();
      if (!row) throw creditNoteNotFound();
      return shownNote(row);
    }),

  listCreditNotes: (organisationId, page) =>
    database.tenant(organisationId, (trx) =>
      listPage<NoteRow, ShownCreditNote>(trx.from(creditNotes(trx, organisationId).as('notes')), page, {
        order: 'desc',
        read: (rows) => rows.map(shownNote),
      }),
    ),
});

const named = (trx: Knex.Transaction, { organisationId, id }: RefundName) =>
  trx<RefundRow>('refunds').where({ organisation_id: organisationId, id });

interface InvoiceRow {
  id: string;
  source: string;
  currency: string;
  subtotal_minor: string;
  tax_minor: string;
  total_minor: string;
}

const invoiceIn = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('invoices').where({ organisation_id: organisationId, id }).first<InvoiceRow | undefined>();

/** Changes that have paid the invoice of another one, whose payment was refused. */
const changesThatPay = (trx: Knex.Transaction, organisationId: string, refusedId: string) =>
  trx('subscription_changes')
    .where({ organisation_id: organisationId })
    .whereRaw("plan ->> 'pays_invoice_of' = ?", [refusedId])
    .select('id');

/** What is given back of a payment since nothing was given for it. */
const surplusOf = (trx: Knex.Transaction, { organisationId, id }: Pick<Payment, 'organisationId' | 'id'>) =>
  trx('refunds')
    .where({ organisation_id: organisationId, payment_id: id, invoice_id: null })
    .whereNot('state', 'FAILED');

/** By refunds that have not failed and by disputes that are not won. */
async function givenBackOf(trx: Knex.Transaction, organisationId: string, paymentId: string): Promise<bigint> {
  const { rows } = await trx.raw<{ rows: [{ minor: string }] }>(
    `SELECT coalesce(sum(amount_minor), 0) AS minor FROM (
       SELECT amount_minor FROM refunds WHERE organisation_id = :organisationId AND payment_id = :paymentId AND state <> 'FAILED'
       UNION ALL
       SELECT amount_minor FROM disputes WHERE organisation_id = :organisationId AND payment_id = :paymentId AND state <> 'WON'
     ) AS given`,
    { organisationId, paymentId },
  );
  return BigInt(rows[0].minor);
}

/** The credit note of a refund that has just succeeded; null: it is about no invoice. */
async function creditNoteOf(trx: Knex.Transaction, refund: Refund, at: Date) {
  const { id: refundId, organisationId, invoiceId, creditNoteId, amountMinor: totalMinor, taxMinor } = refund;
  if (invoiceId === null || creditNoteId === null) return null;
  const taken = { id: creditNoteId, refund: { refundId, totalMinor, taxMinor } };
  return (await saveCreditNote(trx, { organisationId, invoiceId }, taken, at)).note;
}

/** What can be given back of an invoice; nobody else can have its payment refunded until the end of the transaction. */
async function refundable(
  trx: Knex.Transaction,
  by: ActorContext,
  invoiceId: string,
  unused: 'asked' | 'not_asked',
  at: Date,
): Promise<{ readonly of: Refundable; readonly source: string }> {
  const { organisationId } = by;
  const row = await invoiceIn(trx, organisationId, invoiceId);
  if (!row) throw invoiceNotFound();
  const { source, currency } = row;
  const subject = source.split(':')[1] ?? '';
  const payment = await trx('payments')
    .where({ organisation_id: organisationId, state: 'SUCCEEDED' })
    .where((paying) => {
      void paying.where({ subject_id: subject }).orWhereIn('subject_id', changesThatPay(trx, organisationId, subject));
    })
    // One that is given back since the invoice was paid by another is none of it.
    .whereNotExists(
      trx('refunds')
        .whereRaw("refunds.payment_id = payments.id AND refunds.state <> 'FAILED'")
        .where({ 'refunds.organisation_id': organisationId, 'refunds.invoice_id': null }),
    )
    .orderBy(['created_at', 'id'])
    .forUpdate()
    .first<Pick<Payment, 'id' | 'reference'> | undefined>('id', 'reference');
  if (!payment || payment.reference === null) throw nothingToRefund();
  const of: Refundable = {
    invoice: {
      ...{ id: invoiceId, currency, subtotalMinor: BigInt(row.subtotal_minor) },
      ...{ taxMinor: BigInt(row.tax_minor), totalMinor: BigInt(row.total_minor) },
    },
    payment: { id: payment.id, reference: payment.reference },
    givenBackMinor: await givenBackOf(trx, organisationId, payment.id),
    unused: unused === 'asked' ? await unusedOf(trx, by, row, at) : { kind: 'not_asked' },
  };
  return { of, source };
}

/** Of a refund that has failed: what was taken for it is there again, and the credit note that it may have had is void. */
async function undo(trx: Knex.Transaction, by: ActorContext, refund: Refund, at: Date): Promise<void> {
  const { id, organisationId } = refund;
  await takeBalance(trx, organisationId, -refund.balanceMinor);
  await returnCredits(trx, by, { source: `refund_failed:${id}`, purpose: `refund:${id}` }, refund.createdAt, at);
  if (refund.creditNoteId !== null) {
    const voided = { organisation_id: organisationId, credit_note_id: refund.creditNoteId, voided_at: at };
    await trx('credit_note_voids').insert(voided);
  }
  await recordEvents(trx, by, [refundFailed(refund, at)]);
}

interface NoteRow {
  id: string;
  created_at: Date;
  invoice_number: string;
  voided_at: Date | null;
}

const creditNotes = (trx: Knex.Transaction, organisationId: string) =>
  trx('credit_notes')
    .join('invoices', 'invoices.id', 'credit_notes.invoice_id')
    .leftJoin('credit_note_voids', 'credit_note_voids.credit_note_id', 'credit_notes.id')
    .where('credit_notes.organisation_id', organisationId)
    .select<NoteRow[]>('credit_notes.*', 'credit_note_voids.voided_at', { invoice_number: 'invoices.number' });

const shownNote = (row: NoteRow): ShownCreditNote => ({
  ...creditNoteColumns.read(row),
  invoiceNumber: row.invoice_number,
  voidedAt: row.voided_at,
});
