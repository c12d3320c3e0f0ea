import type { BillingEvent } from '../billing-event.ts';
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

/** `2026-000001` */
export const invoiceNumber = (year: number, count: number): string => `${year}-${String(count).padStart(6, '0')}`;

export const invoiceIssued = ({ id, number, totalMinor, currency, createdAt }: Invoice): BillingEvent => ({
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
