import type { SubscriptionInput, SubscriptionServiceHandlers } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';
import { majorUnits } from '../domain/prices/price-book.ts';
import type { Subscription } from '../domain/subscriptions/subscription.ts';
import { actingOf } from './acting.ts';

/** `currency` is the one that seats are sold in. */
export const subscriptionHandlers = (app: BillingApp, currency: string): SubscriptionServiceHandlers<CallContext> => ({
  changeSubscription({ seatCount, subscriptionTier, renewalCycle }, context) {
    return app.changeSubscription(actingOf(context), {
      tier: subscriptionTier,
      seatCount,
      ...(renewalCycle && { renewalCycle }),
    });
  },

  async getSubscription(_request, context) {
    return subscriptionMessage(await app.getSubscription(context.organisationId()), currency);
  },

  async cancelSubscription(_request, context) {
    return subscriptionMessage(await app.cancelSubscription(actingOf(context)), currency);
  },

  async resumeSubscription(_request, context) {
    return subscriptionMessage(await app.resumeSubscription(actingOf(context)), currency);
  },
});

const subscriptionMessage = (
  { plan, period, pending, ...subscription }: Subscription,
  currency: string,
): SubscriptionInput => ({
  id: subscription.id,
  tier: plan.tier,
  seatCount: plan.seatCount,
  status: subscription.status,
  renewalCycle: plan.renewalCycle,
  currentPeriodStart: period.start,
  currentPeriodEnd: period.end,
  pendingTier: pending?.tier ?? null,
  pendingSeatCount: pending?.seatCount ?? null,
  pendingRenewalCycle: pending?.renewalCycle ?? null,
  graceEndsAt: subscription.graceEndsAt,
  version: subscription.version.toString(),
  credit: majorUnits(subscription.creditMinor),
  currency,
});
