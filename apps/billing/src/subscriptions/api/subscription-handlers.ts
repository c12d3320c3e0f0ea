import type {
  ChangeSubscriptionRequest,
  SubscriptionChangeInput,
  SubscriptionInput,
  SubscriptionPreviewInput,
  SubscriptionServiceHandlers,
} from '@platform-backend/contract-billing';
import type { Organisation } from '@platform-backend/contract-identity';
import type { CallContext } from '@platform-backend/grpc';
import { cardDeclined } from '../../payments/domain/errors.ts';
import { majorUnits } from '../../prices/domain/currency.ts';
import type { SubscriptionUseCases } from '../app/subscriptions.ts';
import type { PlanInput } from '../domain/change-plan.ts';
import { organisationNotFound, seatsInUse } from '../domain/errors.ts';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import type { SubscriptionPreview } from '../domain/subscription-preview.ts';
import type { Subscription } from '../domain/subscription.ts';

export interface SubscriptionAnswers {
  /** The one that seats are sold in now. */
  readonly currency: string;
  /** The organisation as identity has it now, with its members. */
  readonly currentOrganisation: (organisationId: string, requestId: string) => Promise<Organisation>;
}

export const subscriptionHandlers = (
  app: SubscriptionUseCases,
  { currency, currentOrganisation }: SubscriptionAnswers,
): SubscriptionServiceHandlers<CallContext> => ({
  async changeSubscription(request, context) {
    await app.changeSubscription(context.actorContext(), planInput(request));
    return currentOrganisation(context.organisationId(), context.requestId);
  },

  async previewSubscription(request, context) {
    return previewMessage(await app.previewSubscription(context.organisationId(), planInput(request)));
  },

  async getSubscriptionChange({ changeId }, context) {
    return changeMessage(await app.getSubscriptionChange(context.organisationId(), changeId));
  },

  async cancelSubscriptionChange({ changeId }, context) {
    return changeMessage(await app.cancelSubscriptionChange(context.organisationId(), changeId));
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

const planInput = ({ seatCount, subscriptionTier, renewalCycle, renew }: ChangeSubscriptionRequest): PlanInput => ({
  tier: subscriptionTier,
  seatCount,
  renew,
  ...(renewalCycle && { renewalCycle }),
});

const changeMessage = (change: SubscriptionChange): SubscriptionChangeInput => ({
  id: change.id,
  createdAt: change.startedAt,
  state: change.state !== 'done' ? 'PENDING' : change.outcome === 'accepted' ? 'SUCCEEDED' : 'REFUSED',
  change: change.kind,
  total: majorUnits(change.totalMinor, change.currency),
  currency: change.currency,
  code: change.state === 'done' ? codeOf(change) : null,
});

function codeOf({ outcome, refusal }: SubscriptionChange): string | null {
  if (outcome === 'payment_refused') return refusal?.code ?? cardDeclined.code;
  if (outcome === 'seats_taken') return seatsInUse.code;
  return outcome === 'organisation_gone' ? organisationNotFound.code : null;
}

const previewMessage = ({ kind, plan, lines, ...preview }: SubscriptionPreview): SubscriptionPreviewInput => ({
  changes: kind !== null,
  tier: plan.tier,
  seatCount: plan.seatCount,
  renewalCycle: plan.renewalCycle,
  takesEffectAt: preview.takesEffectAt,
  currentPeriodEnd: preview.periodEnd,
  lines: lines.map(({ description, quantity, amountMinor }) => ({
    description,
    quantity: String(quantity),
    amount: majorUnits(amountMinor, preview.currency),
  })),
  subtotal: majorUnits(preview.subtotalMinor, preview.currency),
  tax: majorUnits(preview.taxMinor, preview.currency),
  total: majorUnits(preview.totalMinor, preview.currency),
  currency: preview.currency,
  country: preview.country,
  credit: majorUnits(preview.creditMinor, preview.currency),
});

const subscriptionMessage = (
  { plan, period, agreed, pending, ...subscription }: Subscription,
  soldIn: string,
): SubscriptionInput => {
  const currency = agreed.at(-1)?.prices.currency ?? soldIn;
  return {
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
    credit: majorUnits(subscription.creditMinor, currency),
    currency,
  };
};
