import type { BillingEvent } from '../../events.ts';
import type { ReportedDispute } from '../../payments/domain/provider-event.ts';

/** A payment that somebody has disputed at their bank, which has taken the money until it decides. */
export interface Dispute {
  readonly id: string;
  readonly organisationId: string;
  /** The processor's name for it. */
  readonly reference: string;
  readonly paymentId: string;
  /** Null: the payment has none. */
  readonly invoiceId: string | null;
  readonly state: ReportedDispute['state'];
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly reason: string;
  /** Taken of what the payment had bought, and given again where it is won. */
  readonly creditsMicros: bigint;
  readonly createdAt: Date;
}

/** What a dispute becomes by a report, however often and in whatever order those come: how it ended stays. */
export const afterReport = (dispute: Dispute, { state }: Pick<ReportedDispute, 'state'>): Dispute =>
  dispute.state === 'OPEN' && state !== 'OPEN' ? { ...dispute, state } : dispute;

/** The credits that a disputed part of a payment has bought, less what was taken back of them before. */
export function disputedCredits(
  { boughtMicros, takenMicros }: { readonly boughtMicros: bigint; readonly takenMicros: bigint },
  amountMinor: bigint,
  paidMinor: bigint,
): bigint {
  const part = creditsOfPart(boughtMicros, amountMinor, paidMinor);
  const left = boughtMicros > takenMicros ? boughtMicros - takenMicros : 0n;
  return part < left ? part : left;
}

/** What a part of a payment has bought of credits, rounded up. */
export const creditsOfPart = (boughtMicros: bigint, partMinor: bigint, paidMinor: bigint): bigint =>
  partMinor >= paidMinor ? boughtMicros : (boughtMicros * partMinor + paidMinor - 1n) / paidMinor;

const told = ({ id, invoiceId, amountMinor, currency }: Dispute) => ({
  dispute_id: id,
  invoice_id: invoiceId,
  amount_minor: amountMinor.toString(),
  currency,
});

export function disputeOpened(dispute: Dispute): BillingEvent {
  const data = { ...told(dispute), reason: dispute.reason };
  const change = { before: null, after: { ...data } };
  return { name: 'dispute.opened', subject: dispute.id, at: dispute.createdAt, data, change };
}

export function disputeClosed(dispute: Dispute, at: Date): BillingEvent {
  const data = { ...told(dispute), outcome: dispute.state };
  const change = { before: { status: 'OPEN' }, after: { status: dispute.state } };
  return { name: 'dispute.closed', subject: dispute.id, at, data, change };
}
