import type { PaidPeriod, RenewalCycle } from './paid-period.ts';
import type { AgreedCycles } from './plan-terms.ts';
import type { Plan, SubscriptionTier } from './plan.ts';
import type { Trial } from './trial.ts';

export type SubscriptionStatus = 'ACTIVE' | 'PAST_DUE' | 'CANCELING' | 'ENDED';

/** What an organisation has bought. There is none before the first purchase; afterwards it only ever ends. */
export interface Subscription {
  readonly id: string;
  readonly plan: Plan;
  readonly status: SubscriptionStatus;
  /** What is paid for; of a subscription that is past due the period that has run out. */
  readonly period: PaidPeriod;
  /** On what terms its cycles were bought. Empty: before that was kept. */
  readonly agreed: readonly AgreedCycles[];
  /** The one that it began with, or that operators have given; it may be over. Null: there was none. */
  readonly trial: Trial | null;
  /** The plan of the next period, when it is to be another one. */
  readonly pending: Plan | null;
  /** Until when a subscription that is past due keeps working. */
  readonly graceEndsAt: Date | null;
  /** The renewal that was refused, whose invoice is open; null: none. */
  readonly unpaidChangeId: string | null;
  /** Left over from earlier changes, in minor units; the next bill takes it first. */
  readonly creditMinor: bigint;
  /** When the schedule looks at it again; null once it has ended. */
  readonly nextActionAt: Date | null;
  /** Grows with every change, so that whoever is told twice, or in the wrong order, can tell. */
  readonly version: bigint;
}

/** What members and their seats depend on: the part of a subscription that identity repeats. */
export interface OrganisationPlan {
  readonly tier: SubscriptionTier;
  readonly maxMemberLimit: number;
  readonly seatsRenewalEnabled: boolean;
  readonly seatsRenewalCycle: RenewalCycle;
  readonly seatsExpiredAt: Date | null;
  readonly hasPlan: boolean;
}

/** Seats of an organisation that has bought nothing. */
export const freeSeats = 5;

/** What an organisation may do with this subscription, or with none. */
export function organisationPlanOf(subscription: Subscription | null): OrganisationPlan {
  if (!subscription || subscription.status === 'ENDED') {
    return {
      tier: 'BASIC',
      maxMemberLimit: freeSeats,
      seatsRenewalEnabled: false,
      seatsRenewalCycle: subscription?.plan.renewalCycle ?? 'MONTHLY',
      seatsExpiredAt: subscription?.period.end ?? null,
      hasPlan: false,
    };
  }
  const { plan, status, period } = subscription;
  return {
    tier: plan.tier,
    maxMemberLimit: plan.seatCount,
    seatsRenewalEnabled: status !== 'CANCELING',
    seatsRenewalCycle: plan.renewalCycle,
    seatsExpiredAt: period.end,
    hasPlan: true,
  };
}

/** Whether its period is a trial, cancelled for its end or not. */
export const isTrialing = (
  subscription: Subscription | null,
): subscription is Subscription & { readonly trial: Trial } =>
  isRunning(subscription) && subscription.trial !== null && subscription.agreed[0]?.isTrial === true;

/** The status as others see it. */
export const shownStatus = (subscription: Subscription): SubscriptionStatus | 'TRIALING' =>
  subscription.status === 'ACTIVE' && isTrialing(subscription) ? 'TRIALING' : subscription.status;

/** Whether it is paid for now, cancelled for the end of the period or not. */
export const isRunning = (subscription: Subscription | null): subscription is Subscription =>
  subscription?.status === 'ACTIVE' || subscription?.status === 'CANCELING';
