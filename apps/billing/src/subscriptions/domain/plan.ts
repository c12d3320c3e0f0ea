import type { RenewalCycle } from './paid-period.ts';

export type SubscriptionTier = 'BASIC' | 'TEAM';

/** What is bought and paid for in every cycle. */
export interface Plan {
  readonly tier: SubscriptionTier;
  readonly seatCount: number;
  readonly renewalCycle: RenewalCycle;
}

/** Whether two plans are the same in everything that is bought. */
export const isSamePlan = (one: Plan, other: Plan): boolean =>
  one.tier === other.tier && one.seatCount === other.seatCount && one.renewalCycle === other.renewalCycle;
