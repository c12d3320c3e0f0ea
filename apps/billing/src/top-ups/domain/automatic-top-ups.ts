import type { ActorContext, Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { CreditPurchase } from '../../purchases/domain/credit-purchase.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { AutomaticTopUp, TopUpMoment } from './automatic-top-up.ts';

/** What has to be done about an organisation, as far as a look without a lock can tell. */
export interface DueTopUp {
  readonly organisationId: string;
  /** The purchase that is over; null: another one is to be begun. */
  readonly purchaseId: string | null;
}

/**
 * Where automatic top-up is kept. The fall of the balance that a top-up answers is used up in the transaction that writes its purchase
 * down, so there is one purchase for each, whoever dies when.
 */
export interface AutomaticTopUps {
  get(organisationId: string): Promise<AutomaticTopUp | null>;
  /** What the top-ups in a currency come to since then, but for those that were not paid. */
  spentSince(organisationId: string, currency: string, since: Date): Promise<bigint>;
  /**
   * `decide` sees the locked terms and is synchronous. A balance at the threshold or below counts as fallen to it with the change,
   * unless it is off then.
   */
  set(
    by: ActorContext,
    at: Date,
    decide: (known: AutomaticTopUp | null) => Decision<AutomaticTopUp | null, BillingEvent>,
  ): Promise<AutomaticTopUp | null>;
  /** Whose balance has fallen, whose month of the cap is over, and whose purchase is over: those after an organisation first. */
  due(at: Date, scope: ScheduleScope, limit: number, after: string): Promise<readonly DueTopUp[]>;
  /** When a month of the cap is over for an organisation; null: it waits for none. */
  resumesAt(organisationId: string): Promise<Date | null>;
  /**
   * `decide` sees the locked terms of who is due for another top-up, with what was spent in their currency since `month`; its purchase is written down
   * with the change. Null: nothing is due any more, or nothing was begun.
   */
  begin(
    by: ActorContext,
    month: Date,
    at: Date,
    decide: (
      known: AutomaticTopUp,
      moment: TopUpMoment,
    ) => Decision<AutomaticTopUp, BillingEvent, CreditPurchase | null>,
  ): Promise<CreditPurchase | null>;
  /** `decide` sees the locked terms whose purchase this still is. Where the balance is still low then, it counts as fallen again. */
  conclude(
    by: ActorContext,
    purchaseId: string,
    at: Date,
    decide: (known: AutomaticTopUp) => Decision<AutomaticTopUp, BillingEvent>,
  ): Promise<void>;
}
