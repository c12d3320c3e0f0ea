import type { ListedPayment } from './payment-provider.ts';
import { isOver, type Payment } from './payment.ts';

/**
 * Where what the processor says and what we have written down do not agree:
 *
 * - `unknown_here`: the processor has a payment of ours that we know nothing of
 * - `unknown_there`: it is paid here, and the processor does not know it
 * - `paid_there_alone`: the processor has been paid, and here it is not
 * - `paid_here_alone`: the other way round
 * - `amount_differs`: another amount or currency
 * - `not_booked`: it is paid, and what it was for was not given
 */
export type DifferenceKind = (typeof differenceKinds)[number];

export const differenceKinds = [
  'unknown_here',
  'unknown_there',
  'paid_there_alone',
  'paid_here_alone',
  'amount_differs',
  'not_booked',
] as const;

export interface PaymentDifference {
  readonly kind: DifferenceKind;
  readonly organisationId: string | null;
  /** Ours; null: we have none. */
  readonly paymentId: string | null;
  /** The processor's. */
  readonly reference: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** What does not agree about a payment that the processor has. */
export function differencesOf(there: ListedPayment, here: Payment | null): PaymentDifference[] {
  const { reference, amountMinor, currency, organisationId } = there;
  const difference = (kind: DifferenceKind): PaymentDifference => ({
    ...{ kind, organisationId, paymentId: here?.id ?? null, reference, amountMinor, currency },
  });
  if (!here) return [difference('unknown_here')];
  const isPaidThere = there.status === 'succeeded';
  return [
    ...(amountMinor !== here.amountMinor || currency !== here.currency ? [difference('amount_differs')] : []),
    // What is not over is still being looked after.
    ...(isPaidThere && here.state !== 'SUCCEEDED' && isOver(here) ? [difference('paid_there_alone')] : []),
    ...(!isPaidThere && here.state === 'SUCCEEDED' ? [difference('paid_here_alone')] : []),
  ];
}

/** One that is paid here, and of which the processor or whoever sold something says otherwise. */
export const differenceHere = (kind: 'unknown_there' | 'not_booked', payment: Payment): PaymentDifference => ({
  kind,
  organisationId: payment.organisationId,
  paymentId: payment.id,
  reference: payment.reference,
  amountMinor: payment.amountMinor,
  currency: payment.currency,
});
