import type { ActorContext } from '@platform-backend/core';
import type { SubscriptionChange } from './subscription-change.ts';
import type { Subscription } from './subscription.ts';
import type { BeginChange } from './subscriptions.ts';

export interface RunningTrial {
  readonly organisationId: string;
  readonly subscription: Subscription;
}

/** Trials of all organisations, for operators. */
export interface Trials {
  /** Those that run, the next that ends first. */
  running(): Promise<readonly RunningTrial[]>;
  /** Writes a change down, with which whoever works on the schedule goes on. CONFLICT: another one is not done yet. */
  begin(by: ActorContext, decide: BeginChange): Promise<SubscriptionChange | null>;
}
