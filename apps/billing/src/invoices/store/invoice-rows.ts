import { newId, type ActorContext } from '@platform-backend/core';
import { bigintColumn, column, columns, type Knex } from '@platform-backend/postgres';
import { taxNote } from '../../prices/domain/sale-tax.ts';
import { recordEvents } from '../../record-events.ts';
import { noBuyerDetails, type BuyerDetails } from '../domain/billing-details.ts';
import { invoiceVoided } from '../domain/credit-note.ts';
import type { InvoiceTerms } from '../domain/invoice.ts';
import {
  issueInvoice,
  openUntil,
  paidAt,
  voided,
  type Invoice,
  type InvoiceDraft,
  type InvoiceState,
} from '../domain/invoice.ts';
import type { Seller } from '../domain/seller.ts';
import { billingDetailsIn } from './billing-details-store.ts';
import { saveCreditNote } from './credit-note-rows.ts';
import { jsonOfLines, linesOfJson } from './line-columns.ts';
import { lastKnownName } from './organisation-names-store.ts';
import { saleTaxColumn } from './sale-tax-column.ts';

export interface InvoiceRow {
  id: string;
  organisation_id: string;
  source: string;
  created_at: Date;
}

/** Of the table `invoice_buyers`, which alone can be filled later. */
export interface InvoiceBuyerRow {
  organisation_id: string;
  invoice_id: string;
  organisation_name: string;
}

/**
 * Issues the invoice of what is being paid for, in the same transaction. Once per source. It is for the organisation as
 * it was last heard of.
 */
export async function saveInvoice(
  trx: Knex.Transaction,
  by: ActorContext,
  draft: InvoiceDraft,
  at: Date,
  terms: InvoiceTerms,
): Promise<void> {
  if ((await invoiceIdOf(trx, by.organisationId, draft.source)) !== undefined) return;
  await insertInvoice(trx, by, draft, at, terms, paidAt(at));
}

/**
 * Issues the invoice of what could not be paid, or notes on the one of that source that it could not be paid again.
 * `nextAttemptAt` says when it is tried next.
 */
export async function saveOpenInvoice(
  trx: Knex.Transaction,
  by: ActorContext,
  draft: InvoiceDraft,
  at: Date,
  terms: InvoiceTerms,
  nextAttemptAt: Date | null,
): Promise<void> {
  const id = await invoiceIdOf(trx, by.organisationId, draft.source);
  if (id === undefined) {
    await insertInvoice(trx, by, draft, at, terms, openUntil(nextAttemptAt));
    return;
  }
  const { attemptCount } = await stateOfInvoice(trx, by.organisationId, id);
  await states(trx, by.organisationId, id).update(stateColumns.write(openUntil(nextAttemptAt, attemptCount)));
}

/**
 * Ends the open invoice of a source: it is paid, or nothing is to be paid for it, and a credit note takes it back. One that is not open
 * stays as it is.
 */
export async function closeOpenInvoice(
  trx: Knex.Transaction,
  by: ActorContext,
  source: string,
  outcome: 'PAID' | 'VOID',
  at: Date,
): Promise<void> {
  const { organisationId } = by;
  const id = await invoiceIdOf(trx, organisationId, source);
  if (id === undefined) return;
  const state = await stateOfInvoice(trx, organisationId, id);
  if (state.status !== 'OPEN') return;
  const closed = outcome === 'PAID' ? paidAt(at, state.attemptCount) : voided(state);
  await states(trx, organisationId, id).update(stateColumns.write(closed));
  if (outcome === 'PAID') return;
  const issued = await saveCreditNote(trx, { organisationId, invoiceId: id }, { id: newId(), refund: null }, at);
  await recordEvents(trx, by, [invoiceVoided(issued.note, issued.invoiceNumber, at)]);
}

/** Says when the open invoice of a source is tried next. */
export async function retryInvoiceAt(trx: Knex.Transaction, organisationId: string, source: string, at: Date) {
  const id = await invoiceIdOf(trx, organisationId, source);
  if (id !== undefined) await states(trx, organisationId, id).where({ status: 'OPEN' }).update({ next_attempt_at: at });
}

/** Undefined: there is none. */
export const invoiceIdOf = async (trx: Knex.Transaction, organisationId: string, source: string) =>
  (await trx<InvoiceRow>('invoices').where({ organisation_id: organisationId, source }).first('id'))?.id;

const states = (trx: Knex.Transaction, organisationId: string, invoiceId: string) =>
  trx('invoice_states').where({ organisation_id: organisationId, invoice_id: invoiceId });

/** Locked until the end of the transaction. */
async function stateOfInvoice(trx: Knex.Transaction, organisationId: string, id: string): Promise<InvoiceState> {
  const row = await states(trx, organisationId, id).forUpdate().first<object | undefined>();
  if (!row) throw new Error(`the invoice ${id} was paid when it was issued`);
  return stateColumns.read(row);
}

async function insertInvoice(
  trx: Knex.Transaction,
  by: ActorContext,
  draft: InvoiceDraft,
  at: Date,
  terms: InvoiceTerms,
  state: InvoiceState,
): Promise<void> {
  const { organisationId } = by;
  const organisationName = await lastKnownName(trx, organisationId);
  const { companyName, addressLines, vatId } = await billingDetailsIn(trx, organisationId);
  const buyer = { companyName, addressLines, vatId, organisationName };
  const count = await nextInSeries(trx, terms.series, at.getUTCFullYear());
  const { state: invoice, events } = issueInvoice(
    draft,
    { id: newId(), organisationId, count, buyer, at, state },
    terms,
  );
  await trx('invoices').insert({ ...rowOfInvoice(invoice), series: terms.series });
  if (state.status !== 'PAID') {
    const row = { organisation_id: organisationId, invoice_id: invoice.id, ...stateColumns.write(state) };
    await trx('invoice_states').insert(row);
  }
  if (organisationName !== null) await nameBuyers(trx, organisationId, [invoice.id], organisationName);
  await recordEvents(trx, by, events);
}

/**
 * The next number of a series. Its row is locked until the end of the transaction, so numbers have no gaps: whoever issues an
 * invoice does it last, as invoices of all organisations wait for it.
 */
async function nextInSeries(trx: Knex.Transaction, series: string, year: number): Promise<number> {
  await trx.raw("SELECT set_config('app.invoice_series', ?, true)", [series]);
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `INSERT INTO invoice_series (series, year, count) VALUES (?, ?, 1)
     ON CONFLICT (series, year) DO UPDATE SET count = invoice_series.count + 1 RETURNING count`,
    [series, year],
  );
  return rows[0].count;
}

/** Says for whom invoices are, as far as nobody has said it before. */
export async function nameBuyers(
  trx: Knex.Transaction,
  organisationId: string,
  invoiceIds: readonly string[],
  organisationName: string,
): Promise<void> {
  const rows = invoiceIds.map((id) => ({
    organisation_id: organisationId,
    invoice_id: id,
    organisation_name: organisationName,
  }));
  await trx<InvoiceBuyerRow>('invoice_buyers').insert(rows).onConflict().ignore();
}

interface SellerJson {
  name: string;
  address_lines: string[];
  vat_id: string;
}

interface DetailsJson {
  company_name: string;
  address_lines: string[];
  vat_id: string;
}

/** Of the table `invoice_states`, in which those have a row that were not paid when they were issued. */
export const stateColumns = columns<InvoiceState>({
  status: 'status',
  paidAt: 'paid_at',
  nextAttemptAt: 'next_attempt_at',
  attemptCount: 'attempt_count',
});

type Kept = Omit<Invoice, 'buyer' | 'seller' | 'tax' | 'state'> & {
  /** Null where it was not paid when it was issued. */
  readonly paidAt: Date | null;
  /** Null, as what follows, on invoices from before these were kept. */
  readonly seller: Seller | null;
  readonly details: BuyerDetails | null;
  readonly taxLabel: string | null;
  readonly taxBasisPoints: number | null;
};

const invoiceColumns = columns<Kept>({
  id: 'id',
  organisationId: 'organisation_id',
  number: 'number',
  source: 'source',
  currency: 'currency',
  country: 'country',
  lines: column('lines', { read: linesOfJson, write: (lines: Invoice['lines']) => JSON.stringify(jsonOfLines(lines)) }),
  subtotalMinor: bigintColumn('subtotal_minor'),
  taxMinor: bigintColumn('tax_minor'),
  totalMinor: bigintColumn('total_minor'),
  taxed: saleTaxColumn('taxed'),
  createdAt: 'created_at',
  paidAt: 'paid_at',
  seller: column<Seller>('seller', {
    read: (kept: SellerJson) => ({ name: kept.name, addressLines: kept.address_lines, vatId: kept.vat_id }),
    write: ({ name, addressLines, vatId }) =>
      JSON.stringify({ name, address_lines: addressLines as string[], vat_id: vatId } satisfies SellerJson),
  }),
  details: column<BuyerDetails>('billing_details', {
    read: (kept: DetailsJson) => ({
      companyName: kept.company_name,
      addressLines: kept.address_lines,
      vatId: kept.vat_id,
    }),
    write: ({ companyName, addressLines, vatId }) =>
      JSON.stringify({
        company_name: companyName,
        address_lines: addressLines as string[],
        vat_id: vatId,
      } satisfies DetailsJson),
  }),
  taxLabel: 'tax_label',
  taxBasisPoints: 'tax_basis_points',
});

/** `unlessKept` stands on invoices from before the seller was kept with each. */
export function invoiceOfRow(
  row: object,
  state: InvoiceState | null,
  organisationName: string | null,
  unlessKept: Seller,
): Invoice {
  const { seller, details, taxLabel, taxBasisPoints, paidAt: paidWhenIssued, ...invoice } = invoiceColumns.read(row);
  return {
    ...invoice,
    buyer: { ...(details ?? noBuyerDetails), organisationName },
    seller: seller ?? unlessKept,
    state: state ?? paidAt(paidWhenIssued ?? invoice.createdAt),
    tax: { label: taxLabel ?? 'Tax', basisPoints: taxBasisPoints, note: invoice.taxed ? taxNote(invoice.taxed) : '' },
  };
}

const rowOfInvoice = ({ buyer, tax, state, ...invoice }: Invoice) =>
  invoiceColumns.write({
    ...invoice,
    paidAt: state.paidAt,
    details: buyer,
    taxLabel: tax.label,
    taxBasisPoints: tax.basisPoints,
  });
