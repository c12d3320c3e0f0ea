import type { ActorContext, Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { BalanceAlert } from './balance-alert.ts';

/** That the balance has fallen to the threshold of an alert, and what it was then. */
export interface Crossing {
  readonly id: string;
  readonly alert: BalanceAlert;
  readonly balance: bigint;
}

/**
 * Where alerts are kept. Whether one goes off is decided with each movement of credits, in its transaction; what is written down then
 * waits to be told.
 */
export interface BalanceAlerts {
  /** The highest threshold first. */
  list(organisationId: string): Promise<readonly BalanceAlert[]>;
  /** `decide` sees all alerts of an organisation and its balance, of which none changes meanwhile, and is synchronous. */
  update<Result>(
    by: ActorContext,
    at: Date,
    decide: (
      alerts: readonly BalanceAlert[],
      balance: bigint,
    ) => Decision<readonly BalanceAlert[], BillingEvent, Result>,
  ): Promise<Result>;
  /** Of an organisation that is no more: nothing is told of it any more. */
  removeAll(by: ActorContext, at: Date): Promise<void>;
  /** Organisations with alerts that nobody was told of yet: those after an organisation first. */
  untold(scope: ScheduleScope, limit: number, after: string): Promise<readonly string[]>;
  /** Tells of each that waits, once, with the event that `tell` makes of it; answers how many. */
  tell(by: ActorContext, at: Date, tell: (crossing: Crossing) => BillingEvent): Promise<number>;
}
