import type { CouponRedemptionInput, CouponServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { pageOfAll } from '../../payments/api/page-of-all.ts';
import type { CouponUseCases } from '../app/coupons.ts';
import { stateOf, type Redemption } from '../domain/coupon.ts';

export const couponHandlers = (app: CouponUseCases): CouponServiceHandlers<CallContext> => ({
  async redeemPromotionCode({ code }, context) {
    return redemptionMessage(await app.redeemPromotionCode(context.actorContext(), code), app.now());
  },

  async listCouponRedemptions(request, context) {
    const at = app.now();
    const redemptions = await app.listRedemptions(context.organisationId());
    return listAnswer('redemptions', pageOfAll(redemptions, request), (one) => redemptionMessage(one, at));
  },
});

const redemptionMessage = (redemption: Redemption, at: Date): CouponRedemptionInput => ({
  id: redemption.id,
  code: redemption.code,
  percentOff: redemption.percentOff,
  amountOffMinor: redemption.amountOffMinor?.toString() ?? null,
  currency: redemption.currency,
  duration: redemption.duration,
  durationMonths: redemption.durationMonths,
  state: stateOf(redemption, at),
  redeemedAt: redemption.redeemedAt,
  endsAt: redemption.endsAt,
});
