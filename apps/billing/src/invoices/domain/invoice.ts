import type { Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { taxBasisPointsIn, taxLabelIn, taxOn, type PriceBook } from '../../prices/domain/price-book.ts';
import type { BuyerDetails } from './billing-details.ts';
import type { Seller } from './seller.ts';

export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Minor units without tax; negative where something is given back. */
  readonly amountMinor: bigint;
}

/** What is issued when something was paid. It never changes afterwards. */
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
}

export interface InvoiceTax {
  /** `VAT` */
  readonly label: string;
  /** Hundredths of a percent. Null: no single rate makes the tax. */
  readonly basisPoints: number | null;
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
  /** Counted without gaps within an organisation and a year. */
  readonly number: string;
  readonly createdAt: Date;
  readonly paidAt: Date;
}

/** What an invoice takes from the moment at which it is issued. */
export interface InvoiceFacts {
  readonly id: string;
  readonly organisationId: string;
  /** How many the organisation has in this year, this one among them. */
  readonly count: number;
  readonly buyer: InvoiceBuyer;
  readonly at: Date;
}

/** What an invoice says beside what was paid for. */
export interface InvoiceTerms {
  readonly seller: Seller;
  readonly priceBook: PriceBook;
}

/** The invoice of what has just been paid for. */
export function issueInvoice(
  draft: InvoiceDraft,
  { count, at, ...facts }: InvoiceFacts,
  terms: InvoiceTerms,
): Decision<Invoice, BillingEvent> {
  const number = invoiceNumber(at.getUTCFullYear(), count);
  const { seller } = terms;
  const invoice: Invoice = { ...draft, ...facts, number, createdAt: at, paidAt: at, seller, tax: taxOf(draft, terms) };
  return { state: invoice, events: [invoiceIssued(invoice)], result: invoice };
}

/**
 * What an invoice says about its tax. The tax was reckoned when the payment began; should rates have changed since, it
 * names none rather than a wrong one.
 */
export function taxOf({ country, subtotalMinor, taxMinor }: InvoiceDraft, { priceBook }: InvoiceTerms): InvoiceTax {
  const explains = taxOn(priceBook, country, subtotalMinor) === taxMinor;
  return {
    label: taxLabelIn(priceBook, country),
    basisPoints: explains ? Number(taxBasisPointsIn(priceBook, country)) : null,
  };
}

/** `2026-000001` */
export const invoiceNumber = (year: number, count: number): string => `${year}-${String(count).padStart(6, '0')}`;

const invoiceIssued = ({ id, number, totalMinor, currency, createdAt }: Invoice): BillingEvent => ({
  name: 'invoice.issued',
  subject: id,
  at: createdAt,
  data: { invoice_id: id, number, total_minor: totalMinor.toString(), currency },
});

/** Minor units as they are written: `1234` is `12.34`, exactly. */
export function amountText(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
