import type { Discount } from '../../coupons/domain/discount.ts';
import type { PlanTerms } from './plan-terms.ts';
import type { SubscriptionBill } from './subscription-bill.ts';
import { organisationPlanOf, type Subscription } from './subscription.ts';

/** What is done to a subscription, as its events and its bill name it. */
export type ChangeKind =
  | 'started'
  | 'trial_started'
  /** The plan was changed within the trial. */
  | 'trial_changed'
  | 'trial_extended'
  | 'upgraded'
  | 'downgrade_scheduled'
  | 'renewed'
  | 'cancellation_scheduled'
  | 'resumed'
  | 'ended';

/** What shall become of a subscription, and what depends on a payment. */
export interface PlannedChange {
  readonly kind: ChangeKind;
  readonly before: Subscription | null;
  /** What it becomes when the bill is paid, or when there is nothing to pay. */
  readonly ifPaid: Subscription;
  /** What it becomes when the payment is refused; null: what it was before. */
  readonly ifRefused: Subscription | null;
  readonly bill: SubscriptionBill;
  /** The refused renewal whose open invoice is paid by it; null: it gets an invoice of its own. */
  readonly paysInvoiceOf: string | null;
  /** By which the bill goes; null: by none, as nothing is paid. */
  readonly terms: PlanTerms | null;
  /** With which a new cycle costs less; null: with none. */
  readonly redemptionId: string | null;
  /**
   * With more active members than this the change is refused; identity decides it while nobody can join. Null: it
   * takes no seats away, or it is not the moment to refuse.
   */
  readonly maxActiveMembers: number | null;
}

/** A change somebody asked for. It may take seats away, but none that is taken. */
export function planned(
  kind: ChangeKind,
  before: Subscription | null,
  next: Subscription,
  bill: SubscriptionBill,
  terms: PlanTerms | null,
  discount: Discount | null = null,
): PlannedChange {
  const seats = Math.min(next.plan.seatCount, next.pending?.seatCount ?? Infinity);
  const takesSeats = kind !== 'resumed' && seats < organisationPlanOf(before).maxMemberLimit;
  return {
    kind,
    before,
    ifPaid: { ...next, creditMinor: bill.creditMinor },
    ifRefused: null,
    paysInvoiceOf: null,
    bill,
    terms,
    redemptionId: discount?.redemptionId ?? null,
    maxActiveMembers: takesSeats ? seats : null,
  };
}
