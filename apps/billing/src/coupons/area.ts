import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { couponHandlers } from './api/coupon-handlers.ts';
import { couponUseCases } from './app/coupons.ts';
import { discountOf } from './domain/coupon.ts';
import { couponsStore } from './store/coupons-store.ts';

export type CouponsExports = ReturnType<typeof couponsArea>['exports'];

/** Coupons: what is taken off the price of a subscription for whoever redeems a promotion code. */
export const couponsArea = ({ storage, clock }: BillingContext) => {
  const coupons = couponsStore(storage.database);
  return {
    handlers: { CouponService: couponHandlers(couponUseCases({ coupons, clock })) },
    exports: {
      /** What an organisation has off its next cycle at a moment; null: nothing. */
      discountAt: async (organisationId: string, at: Date) => discountOf(await coupons.redemptions(organisationId), at),
    },
  } satisfies Area<typeof service.declaration>;
};
