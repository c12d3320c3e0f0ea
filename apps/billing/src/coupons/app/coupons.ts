import { newId, type ActorContext, type Clock } from '@platform-backend/core';
import { normalisedCode, redeem, type Redemption } from '../domain/coupon.ts';
import type { Coupons } from '../domain/coupons.ts';

export interface CouponPorts {
  readonly coupons: Coupons;
  readonly clock: Clock;
}

/** What organisations can do with coupons. */
export const couponUseCases = ({ coupons, clock }: CouponPorts) => ({
  /** Newest first. */
  listRedemptions: (organisationId: string): Promise<readonly Redemption[]> => coupons.redemptions(organisationId),

  /** NOT_FOUND: there is no such code. CONFLICT: it cannot be redeemed, or not by this organisation now. */
  redeemPromotionCode(by: ActorContext, code: string): Promise<Redemption> {
    const at = clock.now();
    const id = newId();
    return coupons.redeem(by, normalisedCode(code), (coupon, known) => redeem(coupon, known, id, at));
  },

  now: () => clock.now(),
});

export type CouponUseCases = ReturnType<typeof couponUseCases>;
