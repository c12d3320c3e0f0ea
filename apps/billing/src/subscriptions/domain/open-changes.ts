import type { SubscriptionChange } from './subscription-change.ts';

/** Changes of all organisations that are not over, for whoever has to look at them. */
export interface OpenChanges {
  /** The longest waiting first. */
  list(): Promise<readonly SubscriptionChange[]>;
  /** `decide` sees the locked change; null: it stays as it is. */
  update(
    change: SubscriptionChange,
    decide: (change: SubscriptionChange) => SubscriptionChange | null,
  ): Promise<SubscriptionChange | null>;
}
