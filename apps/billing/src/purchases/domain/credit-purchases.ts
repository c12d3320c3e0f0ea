import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { CreditHoldings } from '../../credits/domain/credit-account.ts';
import type { CreditGrant } from '../../credits/domain/credit-grant.ts';
import type { BillingEvent } from '../../events.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { CreditPurchase, CreditPurchaseStatus } from './credit-purchase.ts';

export interface PendingPurchase {
  readonly organisationId: string;
  readonly purchase: CreditPurchase;
}

export interface CreditPurchaseFilter {
  /** Any of these; none: all. */
  readonly statuses: readonly CreditPurchaseStatus[];
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

/** Where purchases are kept. The credits of a purchase and its end commit together, or not at all. */
export interface CreditPurchases {
  add(by: ActorContext, purchase: CreditPurchase): Promise<void>;
  /** NOT_FOUND: none, or another organisation's. */
  get(organisationId: string, id: string): Promise<CreditPurchase>;
  /** Newest first. */
  list(organisationId: string, filter: CreditPurchaseFilter, page: PageRequest): Promise<Page<CreditPurchase>>;
  /**
   * `decide` sees the locked purchase and is synchronous. When it has just succeeded, `grant` adds its credits.
   * NOT_FOUND: none.
   */
  update(
    by: ActorContext,
    purchaseId: string,
    at: Date,
    decide: (purchase: CreditPurchase) => CreditPurchase,
    grant: (purchase: CreditPurchase, holdings: CreditHoldings) => Decision<CreditHoldings, BillingEvent, CreditGrant>,
  ): Promise<CreditPurchase>;
  /**
   * Ends one for which no payment has begun, and from then on none begins; one with a payment is answered as it is.
   * NOT_FOUND: none, or another organisation's.
   */
  endUncharged(organisationId: string, id: string, at: Date): Promise<CreditPurchase>;
  /** Purchases that were made until then, and for which nobody has begun a payment; oldest first. */
  withoutPayment(until: Date, scope: ScheduleScope, limit: number): Promise<readonly PendingPurchase[]>;
  /** Those of an organisation of which it is not known yet whether they are paid. */
  unfinished(organisationId: string): Promise<readonly CreditPurchase[]>;
}
