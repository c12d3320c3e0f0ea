import type { ActorContext } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { Coupon, Redemption } from './coupon.ts';

/** Where coupons are kept, and who has redeemed them. */
export interface Coupons {
  /** Those that an organisation has redeemed, newest first. */
  redemptions(organisationId: string): Promise<readonly Redemption[]>;
  /**
   * `decide` sees the locked coupon and what the organisation has redeemed, which nobody changes meanwhile, and is synchronous.
   * NOT_FOUND: there is no such code.
   */
  redeem(
    by: ActorContext,
    code: string,
    decide: (
      coupon: Coupon,
      known: readonly Redemption[],
    ) => { readonly redemption: Redemption; readonly event: BillingEvent },
  ): Promise<Redemption>;
  /** For operators. False: there is one of this code. */
  add(coupon: Coupon): Promise<boolean>;
  /** Newest first. */
  list(): Promise<readonly Coupon[]>;
  /** What was redeemed before stays. False: there is none of this code that is not archived. */
  archive(code: string, at: Date): Promise<boolean>;
}
