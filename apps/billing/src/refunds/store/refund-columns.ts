import { bigintColumn, column, columns } from '@platform-backend/postgres';
import { jsonOfLines, linesOfJson } from '../../invoices/store/line-columns.ts';
import { actorColumn } from '../../purchases/store/actor-column.ts';
import type { CreditNote } from '../domain/credit-note.ts';
import type { Dispute } from '../domain/dispute.ts';
import type { Refund } from '../domain/refund.ts';

export interface RefundRow {
  id: string;
  organisation_id: string;
  state: Refund['state'];
  created_at: Date;
  next_look_at: Date | null;
}

export const refundColumns = columns<Refund>({
  id: 'id',
  organisationId: 'organisation_id',
  invoiceId: 'invoice_id',
  paymentId: 'payment_id',
  paymentReference: 'payment_reference',
  state: 'state',
  amountMinor: bigintColumn('amount_minor'),
  taxMinor: bigintColumn('tax_minor'),
  currency: 'currency',
  reason: 'reason',
  memo: 'memo',
  creditsMicros: bigintColumn('credits_micros'),
  creditsExpireAt: 'credits_expire_at',
  balanceMinor: bigintColumn('balance_minor'),
  reference: 'reference',
  failure: 'failure',
  creditNoteId: 'credit_note_id',
  requestedBy: actorColumn('requested_by'),
  requestId: 'request_id',
  createdAt: 'created_at',
  nextLookAt: 'next_look_at',
});

export const creditNoteColumns = columns<CreditNote>({
  id: 'id',
  organisationId: 'organisation_id',
  number: 'number',
  refundId: 'refund_id',
  invoiceId: 'invoice_id',
  lines: column('lines', {
    read: linesOfJson,
    write: (lines: CreditNote['lines']) => JSON.stringify(jsonOfLines(lines)),
  }),
  currency: 'currency',
  subtotalMinor: bigintColumn('subtotal_minor'),
  taxMinor: bigintColumn('tax_minor'),
  totalMinor: bigintColumn('total_minor'),
  createdAt: 'created_at',
});

export const disputeColumns = columns<Dispute>({
  id: 'id',
  organisationId: 'organisation_id',
  reference: 'reference',
  paymentId: 'payment_id',
  invoiceId: 'invoice_id',
  state: 'state',
  amountMinor: bigintColumn('amount_minor'),
  currency: 'currency',
  reason: 'reason',
  creditsMicros: bigintColumn('credits_micros'),
  createdAt: 'created_at',
});
