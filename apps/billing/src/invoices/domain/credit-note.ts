import type { BillingEvent } from '../../events.ts';
import type { Invoice, InvoiceLine } from './invoice.ts';

/** What takes an invoice back, or a part of it: what was refunded, or all of one that is void. It never changes once it is issued. */
export interface CreditNote {
  readonly id: string;
  readonly organisationId: string;
  /** Counted without gaps within a year. */
  readonly number: string;
  /** Null: the invoice is void. */
  readonly refundId: string | null;
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

/** What is taken back, with tax. */
export type TakenBack = Pick<CreditNote, 'refundId' | 'taxMinor' | 'totalMinor'>;

/** The credit note about an invoice: with its lines where all of it is taken back. */
export function issueCreditNote(
  { refundId, totalMinor, taxMinor }: TakenBack,
  invoice: Pick<Invoice, 'id' | 'organisationId' | 'number' | 'currency' | 'lines' | 'totalMinor'>,
  { id, number, at }: { readonly id: string; readonly number: string; readonly at: Date },
): CreditNote {
  const { organisationId, id: invoiceId, currency } = invoice;
  const subtotalMinor = totalMinor - taxMinor;
  const part: InvoiceLine = {
    description: `Part of invoice ${invoice.number}`,
    quantity: 1,
    amountMinor: subtotalMinor,
  };
  return {
    ...{ id, organisationId, number, refundId, invoiceId, currency },
    lines: totalMinor === invoice.totalMinor ? invoice.lines : [part],
    ...{ subtotalMinor, taxMinor, totalMinor, createdAt: at },
  };
}

/** That an invoice is void which was open, and that the credit note takes it back. */
export const invoiceVoided = (note: CreditNote, number: string, at: Date): BillingEvent => ({
  name: 'invoice.voided',
  subject: note.invoiceId,
  at,
  data: {
    ...{ invoice_id: note.invoiceId, number, total_minor: note.totalMinor.toString(), currency: note.currency },
    ...{ credit_note_id: note.id, credit_note_number: note.number },
  },
});
