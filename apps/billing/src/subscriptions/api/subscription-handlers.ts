import type { SubscriptionInput, SubscriptionServiceHandlers } from '@platform-backend/contract-billing';
import type { Organisation } from '@platform-backend/contract-identity';
import type { CallContext } from '@platform-backend/grpc';
import { majorUnits } from '../../prices/domain/price-book.ts';
import type { SubscriptionUseCases } from '../app/subscriptions.ts';
import type { Subscription } from '../domain/subscription.ts';

export interface SubscriptionAnswers {
  /** The one that seats are sold in. */
  readonly currency: string;
  /** The organisation as identity has it now, with its members. */
  readonly currentOrganisation: (organisationId: string, requestId: string) => Promise<Organisation>;
}

export const subscriptionHandlers = (
  app: SubscriptionUseCases,
  { currency, currentOrganisation }: SubscriptionAnswers,
): SubscriptionServiceHandlers<CallContext> => ({
  async changeSubscription({ seatCount, subscriptionTier, renewalCycle }, context) {
    const plan = { tier: subscriptionTier, seatCount, ...(renewalCycle && { renewalCycle }) };
    await app.changeSubscription(context.actorContext(), plan);
    return currentOrganisation(context.organisationId(), context.requestId);
  },

  async getSubscription(_request, context) {
    return subscriptionMessage(await app.getSubscription(context.organisationId()), currency);
  },

  async cancelSubscription(_request, context) {
    return subscriptionMessage(await app.cancelSubscription(context.actorContext()), currency);
  },

  async resumeSubscription(_request, context) {
    return subscriptionMessage(await app.resumeSubscription(context.actorContext()), currency);
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
