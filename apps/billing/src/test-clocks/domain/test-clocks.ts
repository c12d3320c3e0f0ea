import type { ActorContext, Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { TestClock } from './test-clock.ts';

/** Where test clocks are kept; an organisation has one at most. */
export interface TestClocks {
  get(organisationId: string): Promise<TestClock | null>;
  /**
   * `decide` sees the locked clock and is synchronous. Of one that is gone afterwards, nothing waits for its time any more:
   * what would is due at `realTime`.
   */
  update<Result>(
    by: ActorContext,
    realTime: Date,
    decide: (clock: TestClock | null) => Decision<TestClock | null, BillingEvent, Result>,
  ): Promise<Result>;
  /** Organisations that have one. */
  organisations(): Promise<readonly string[]>;
  /** Takes one to look after until then, by the real time; null: there is none, or somebody else is at it. */
  take(organisationId: string, realTime: Date, leaseUntil: Date): Promise<TestClock | null>;
  /** Gives one back that was taken. */
  release(organisationId: string, realTime: Date): Promise<void>;
}
