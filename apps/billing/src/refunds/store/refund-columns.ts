import { bigintColumn, columns } from '@platform-backend/postgres';
import { actorColumn } from '../../purchases/store/actor-column.ts';
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
  balanceMinor: bigintColumn('balance_minor'),
  reference: 'reference',
  failure: 'failure',
  creditNoteId: 'credit_note_id',
  requestedBy: actorColumn('requested_by'),
  requestId: 'request_id',
  createdAt: 'created_at',
  nextLookAt: 'next_look_at',
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
