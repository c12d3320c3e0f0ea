import type { Actor } from '@platform-backend/core';
import type { InvoiceDraft } from '../../invoices/domain/invoice.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { SaleTax } from '../../prices/domain/sale-tax.ts';
import { awaitsPayment } from './pay-unpaid.ts';
import type { PlannedChange } from './planned-change.ts';
import { isTrialing, organisationPlanOf, type OrganisationPlan, type Subscription } from './subscription.ts';

/**
 * Where a change stands. It is written down before each step, and each step may be done again: whoever finds a
 * change that nobody works on goes on from here.
 *
 * - `checking`: identity takes over fewer seats, unless more members are active than that
 * - `charging`: the processor is asked for the money, always with the change's id as idempotency key
 * - `applying`: identity takes over what became of it
 * - `done`: over, one way or the other
 */
export type ChangeState = 'checking' | 'charging' | 'applying' | 'done';

export type ChangeOutcome =
  /** Paid, or there was nothing to pay. */
  | 'accepted'
  | 'payment_refused'
  /** Fewer seats than active members. */
  | 'seats_taken'
  /** The organisation is no more. */
  | 'organisation_gone';

/** What a change costs with tax, in minor units. */
export interface ChangeTotals {
  readonly currency: string;
  /** ISO 3166-1: where the tax is due. */
  readonly country: string;
  /** Null: it was begun before that was kept. */
  readonly taxed: SaleTax | null;
  readonly subtotalMinor: bigint;
  readonly taxMinor: bigint;
  readonly totalMinor: bigint;
}

/** Why a processor did not pay. */
export interface PaymentRefusal {
  /** Stable, for programs: `card_declined`, `authentication_required`, `payment_method_required`. */
  readonly code: string;
  /** For the payer to read. */
  readonly message: string;
}

/** A change of one organisation's subscription on its way. An organisation has at most one that is not done. */
export interface SubscriptionChange extends Omit<PlannedChange, 'terms'>, ChangeTotals {
  /** The processor's idempotency key as well, so that however often it is tried it is paid once. */
  readonly id: string;
  readonly organisationId: string;
  readonly state: ChangeState;
  readonly outcome: ChangeOutcome | null;
  /** Two versions that no other change has: identity is told of the check and of the outcome, in this order. */
  readonly checkVersion: bigint;
  readonly finalVersion: bigint;
  readonly processorReference: string | null;
  readonly refusal: PaymentRefusal | null;
  readonly payer: ChangePayer;
  readonly startedBy: Actor;
  readonly requestId: string;
  readonly startedAt: Date;
  /** Whoever works on it has until then; afterwards anybody may go on. */
  readonly leaseUntil: Date;
}

/** Who pays, and with what. */
export interface ChangePayer {
  /** Nobody is there to confirm at the bank: a payment that needs it is declined. */
  readonly isAbsent: boolean;
  /** Null: the default one. */
  readonly paymentMethodId: string | null;
}

export interface NewChange {
  readonly id: string;
  readonly organisationId: string;
  /** The greatest version that identity may have heard of. */
  readonly versionBefore: bigint;
  readonly totals: ChangeTotals;
  readonly payer: ChangePayer;
  readonly startedBy: Actor;
  readonly requestId: string;
  readonly at: Date;
  /** How long whoever takes a change may be silent; longer than any step takes. */
  readonly leaseMs: number;
}

/** Begins a change. What costs something is always checked first: nobody charges an organisation that is no more. */
export function startChange({ terms: _terms, ...plan }: PlannedChange, start: NewChange): SubscriptionChange {
  const { versionBefore, totals, at, leaseMs, ...rest } = start;
  const checked = plan.maxActiveMembers !== null || totals.totalMinor > 0n;
  return {
    ...plan,
    ...totals,
    ...rest,
    state: checked ? 'checking' : 'applying',
    outcome: checked ? null : 'accepted',
    checkVersion: versionBefore + 1n,
    finalVersion: versionBefore + 2n,
    processorReference: null,
    refusal: null,
    startedAt: at,
    leaseUntil: new Date(at.getTime() + leaseMs),
  };
}

/** What identity is told for the check: the plan as it is, with no more seats than there will be. */
export function planWhileChanging({ before, ifPaid, maxActiveMembers }: SubscriptionChange): OrganisationPlan {
  const plan = organisationPlanOf(before);
  if (maxActiveMembers === null || ifPaid.pending !== null) return plan;
  return { ...plan, maxMemberLimit: Math.min(plan.maxMemberLimit, maxActiveMembers) };
}

export const checked = (change: SubscriptionChange): SubscriptionChange =>
  change.totalMinor > 0n ? { ...change, state: 'charging' } : { ...change, state: 'applying', outcome: 'accepted' };

/** Identity refused, so nothing has changed anywhere. */
export const seatsTaken = (change: SubscriptionChange): SubscriptionChange => ({
  ...change,
  state: 'done',
  outcome: 'seats_taken',
});

/** There is nobody to serve or to charge any more; the subscription ends where it stands. */
export const organisationGone = (change: SubscriptionChange): SubscriptionChange => ({
  ...change,
  state: 'done',
  outcome: 'organisation_gone',
});

/** Whether it was refused before anything was charged. */
export const endsAtCheck = ({ outcome }: SubscriptionChange): boolean =>
  outcome === 'seats_taken' || outcome === 'organisation_gone';

export const paid = (change: SubscriptionChange, processorReference: string): SubscriptionChange => ({
  ...change,
  state: 'applying',
  outcome: 'accepted',
  processorReference,
});

export const paymentRefused = (
  change: SubscriptionChange,
  refusal: PaymentRefusal,
  processorReference: string | null = null,
): SubscriptionChange => ({ ...change, state: 'applying', outcome: 'payment_refused', refusal, processorReference });

/** Whether a change has come about, or is about to, by this payment. */
export const isPaidBy = (
  { outcome, processorReference }: SubscriptionChange,
  { reference }: Pick<Payment, 'reference'>,
): boolean => outcome === 'accepted' && processorReference === reference;

/** Whether money may have moved for a change that is not over. */
export const mayBePaid = ({ state, totalMinor }: SubscriptionChange): boolean =>
  totalMinor > 0n && (state === 'charging' || state === 'applying');

/** Ends a change for whose payment nothing was asked yet, and that identity is told of; null: it is too late for that. */
export const abandonByHand = (change: SubscriptionChange, at: Date): SubscriptionChange | null =>
  change.state === 'checking' || change.state === 'charging'
    ? { ...paymentRefused(change, { code: 'abandoned', message: 'The change was abandoned' }), leaseUntil: at }
    : null;

export const applied = (change: SubscriptionChange): SubscriptionChange => ({ ...change, state: 'done' });

/** What the subscription is once the change is over; null: there still is none. */
export function subscriptionAfter(change: SubscriptionChange): Subscription | null {
  const { before, ifPaid, ifRefused, outcome, finalVersion } = change;
  switch (outcome) {
    case 'accepted':
      return { ...ifPaid, version: finalVersion };
    case 'payment_refused': {
      if (before && endsWithTrial(change)) return { ...ended(before), version: finalVersion };
      if (ifRefused) {
        const unpaidChangeId = before && awaitsPayment(before) ? before.unpaidChangeId : change.id;
        return { ...ifRefused, unpaidChangeId, version: finalVersion };
      }
      return before && { ...before, version: finalVersion };
    }
    case 'organisation_gone':
      return before && ended(before);
    case 'seats_taken':
    case null:
      return before;
  }
}

const ended = (subscription: Subscription): Subscription => ({
  ...subscription,
  ...{ status: 'ENDED', pending: null, graceEndsAt: null, unpaidChangeId: null, nextActionAt: null },
});

/** Whether a trial is over for which no card was set up, so that nothing follows and nothing is owed. */
export const endsWithTrial = ({ before, ifRefused, outcome, refusal }: SubscriptionChange): boolean =>
  outcome === 'payment_refused' &&
  ifRefused !== null &&
  isTrialing(before) &&
  before.trial.missingPaymentMethod === 'CANCEL' &&
  refusal?.code === 'payment_method_required';

/** What a change sells, as an invoice says it. */
export const draftOfChange = ({ id, bill, paysInvoiceOf, ...totals }: SubscriptionChange): InvoiceDraft => ({
  source: sourceOfChange(paysInvoiceOf ?? id),
  currency: totals.currency,
  country: totals.country,
  lines: bill.lines,
  subtotalMinor: totals.subtotalMinor,
  taxMinor: totals.taxMinor,
  totalMinor: totals.totalMinor,
  taxed: totals.taxed,
});

/** The source of the invoice of a change. */
export const sourceOfChange = (changeId: string): string => `subscription_change:${changeId}`;
