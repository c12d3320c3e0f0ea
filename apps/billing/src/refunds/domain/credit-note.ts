import type { Invoice, InvoiceLine } from '../../invoices/domain/invoice.ts';
import type { Refund } from './refund.ts';

/** What takes a part of an invoice back, or all of it. It never changes once it is issued. */
export interface CreditNote {
  readonly id: string;
  readonly organisationId: string;
  /** Counted without gaps within a year. */
  readonly number: string;
  readonly refundId: string;
  readonly invoiceId: string;
  /** They make `subtotalMinor` exactly. */
  readonly lines: readonly InvoiceLine[];
  readonly currency: string;
  readonly subtotalMinor: bigint;
  readonly taxMinor: bigint;
  readonly totalMinor: bigint;
  readonly createdAt: Date;
}

/** `CN-2026-000001` */
export const creditNoteNumber = (year: number, count: number): string =>
  `CN-${String(year)}-${String(count).padStart(6, '0')}`;

/** The credit note of a refund that has succeeded: with the lines of the invoice where it takes all of it back. */
export function issueCreditNote(
  refund: Refund,
  invoice: Pick<Invoice, 'number' | 'lines' | 'totalMinor'>,
  { id, number, at }: { readonly id: string; readonly number: string; readonly at: Date },
): CreditNote {
  const { organisationId, invoiceId, currency, amountMinor: totalMinor, taxMinor } = refund;
  const subtotalMinor = totalMinor - taxMinor;
  const isWhole = totalMinor === invoice.totalMinor;
  const part: InvoiceLine = {
    description: `Part of invoice ${invoice.number}`,
    quantity: 1,
    amountMinor: subtotalMinor,
  };
  return {
    ...{ id, organisationId, number, refundId: refund.id, invoiceId, currency },
    ...{ lines: isWhole ? invoice.lines : [part], subtotalMinor, taxMinor, totalMinor, createdAt: at },
  };
}
