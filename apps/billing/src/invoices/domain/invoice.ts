import type { Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { taxLabelIn, type PriceBook } from '../../prices/domain/price-book.ts';
import { noEvidence, taxNote, taxOfSale, taxOn, type SaleTax } from '../../prices/domain/sale-tax.ts';
import type { BuyerDetails } from './billing-details.ts';
import type { Seller } from './seller.ts';

export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Minor units without tax; negative where something is given back. */
  readonly amountMinor: bigint;
}

/** What is issued when something was paid, or is to be. It never changes afterwards. */
export interface InvoiceDraft {
  /** What was paid for, `purchase:<id>`: the same source has one invoice, however often it is issued. */
  readonly source: string;
  readonly currency: string;
  /** ISO 3166-1: where the tax is due. */
  readonly country: string;
  /** They make `subtotalMinor` exactly. */
  readonly lines: readonly InvoiceLine[];
  readonly subtotalMinor: bigint;
  readonly taxMinor: bigint;
  readonly totalMinor: bigint;
  /** How it is taxed, and why; null: it was begun before that was kept. */
  readonly taxed: SaleTax | null;
}

export interface InvoiceTax {
  /** `VAT` */
  readonly label: string;
  /** Hundredths of a percent. Null: no single rate makes the tax. */
  readonly basisPoints: number | null;
  /** What the law wants to be said about it; empty: nothing. */
  readonly note: string;
}

/** Whom it is for, as it was when the invoice was issued. */
export interface InvoiceBuyer extends BuyerDetails {
  /** Null: it could not be had yet. Once there is a name it stays. */
  readonly organisationName: string | null;
}

export interface Invoice extends InvoiceDraft {
  readonly id: string;
  readonly organisationId: string;
  readonly buyer: InvoiceBuyer;
  readonly seller: Seller;
  readonly tax: InvoiceTax;
  /** Counted without gaps for who issues them and a year. */
  readonly number: string;
  readonly createdAt: Date;
  readonly state: InvoiceState;
}

/** Whether it is paid; `OPEN`: it can be, and `VOID`: nothing is to be paid for it any more. */
export interface InvoiceState {
  readonly status: InvoiceStatus;
  /** Null unless it is paid. */
  readonly paidAt: Date | null;
  /** When its payment is tried again by itself; null unless it is open. */
  readonly nextAttemptAt: Date | null;
  /** How often its payment was refused. */
  readonly attemptCount: number;
}

export type InvoiceStatus = 'OPEN' | 'PAID' | 'VOID';

export const paidAt = (at: Date, attemptCount = 0): InvoiceState => ({
  ...{ status: 'PAID', paidAt: at, nextAttemptAt: null, attemptCount },
});

/** After a payment was refused; the first time as it is issued. */
export const openUntil = (nextAttemptAt: Date | null, attemptsBefore = 0): InvoiceState => ({
  ...{ status: 'OPEN', paidAt: null, nextAttemptAt, attemptCount: attemptsBefore + 1 },
});

export const voided = ({ attemptCount }: InvoiceState): InvoiceState => ({
  ...{ status: 'VOID', paidAt: null, nextAttemptAt: null, attemptCount },
});

/** What an invoice takes from the moment at which it is issued. */
export interface InvoiceFacts {
  readonly id: string;
  readonly organisationId: string;
  /** How many there are in this series and year, this one among them. */
  readonly count: number;
  readonly buyer: InvoiceBuyer;
  readonly at: Date;
  readonly state: InvoiceState;
}

/** What an invoice says beside what was paid for. */
export interface InvoiceTerms {
  readonly seller: Seller;
  /** With what the numbers of this seller begin. */
  readonly series: string;
  readonly priceBook: PriceBook;
}

/** The invoice of what has just been sold. */
export function issueInvoice(
  draft: InvoiceDraft,
  { count, at, ...facts }: InvoiceFacts,
  terms: InvoiceTerms,
): Decision<Invoice, BillingEvent> {
  const number = invoiceNumber(terms.series, at.getUTCFullYear(), count);
  const { seller } = terms;
  const invoice: Invoice = {
    ...draft,
    ...facts,
    number,
    createdAt: at,
    seller,
    tax: taxOf(draft, terms, at),
  };
  return { state: invoice, events: [invoiceIssued(invoice)], result: invoice };
}

/**
 * What an invoice says about its tax. The tax was reckoned when the payment began. Where it was not kept how, and rates have
 * changed since, it names none rather than a wrong one.
 */
export function taxOf(
  { country, subtotalMinor, taxMinor, currency, taxed }: InvoiceDraft,
  { priceBook }: Pick<InvoiceTerms, 'priceBook'>,
  at: Date,
): InvoiceTax {
  const known = taxed ?? taxOfSale(priceBook, { ...noEvidence, billingCountry: country }, at);
  const explains = taxOn(known, subtotalMinor, currency) === taxMinor;
  return {
    label: taxLabelIn(priceBook, country),
    basisPoints: explains ? Number(known.basisPoints) : null,
    note: taxed ? taxNote(taxed) : '',
  };
}

/** `INV-2026-000001` */
export const invoiceNumber = (series: string, year: number, count: number): string =>
  `${series}-${year}-${String(count).padStart(6, '0')}`;

const invoiceIssued = ({ id, number, totalMinor, currency, createdAt }: Invoice): BillingEvent => ({
  name: 'invoice.issued',
  subject: id,
  at: createdAt,
  data: { invoice_id: id, number, total_minor: totalMinor.toString(), currency },
});
