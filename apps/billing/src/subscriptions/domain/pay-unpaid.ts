import type { PlannedChange } from './planned-change.ts';
import type { SubscriptionBill } from './subscription-bill.ts';
import type { Subscription } from './subscription.ts';

/** A renewal that was refused, as it was decided and as its invoice says. */
export interface UnpaidRenewal {
  /** The change that it was. */
  readonly id: string;
  readonly before: Subscription | null;
  readonly ifPaid: Subscription;
  readonly bill: SubscriptionBill;
}

/**
 * Whether the invoice of a refused renewal can be paid, which has all that was left over counted against its price. What the
 * release before has renewed or ended may still name one.
 */
export const awaitsPayment = ({ status, unpaidChangeId }: Pick<Subscription, 'status' | 'unpaidChangeId'>): boolean =>
  status === 'PAST_DUE' && unpaidChangeId !== null;

/**
 * The renewal once more, for what its invoice says and not for what is sold by now. What has come to what is left over since, as
 * by a refund that has failed, is kept for the next bill.
 */
export function payUnpaid(
  current: Subscription,
  { id, before, ifPaid, bill }: UnpaidRenewal,
  ifRefused: Subscription | null,
): PlannedChange {
  const come = current.creditMinor - (before ?? current).creditMinor;
  const creditMinor = ifPaid.creditMinor + (come > 0n ? come : 0n);
  return {
    kind: 'renewed',
    before: current,
    ifPaid: { ...ifPaid, creditMinor },
    ifRefused,
    bill: { ...bill, creditMinor },
    terms: ifPaid.agreed[0] ?? null,
    paysInvoiceOf: id,
    redemptionId: null,
    maxActiveMembers: null,
  };
}
