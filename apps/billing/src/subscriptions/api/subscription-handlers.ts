import type {
  PreviewSubscriptionRequest,
  SubscriptionChangeInput,
  SubscriptionInput,
  SubscriptionPreviewInput,
  SubscriptionServiceHandlers,
} from '@platform-backend/contract-billing';
import type { Organisation } from '@platform-backend/contract-identity';
import type { CallContext } from '@platform-backend/grpc';
import { cardDeclined } from '../../payments/domain/errors.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import { majorUnits } from '../../prices/domain/currency.ts';
import { taxNote } from '../../prices/domain/sale-tax.ts';
import type { SubscriptionUseCases, TokenedPreview } from '../app/subscriptions.ts';
import type { PlanInput } from '../domain/change-plan.ts';
import { organisationNotFound, seatsInUse } from '../domain/errors.ts';
import { shownCredits } from '../domain/plan-credits.ts';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import { organisationPlanOf, shownStatus, type Subscription } from '../domain/subscription.ts';

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
    await app.changeSubscription(context.actorContext(), planInput(request), request.previewToken);
    return currentOrganisation(context.organisationId(), context.requestId);
  },

  async previewSubscription(request, context) {
    return previewMessage(await app.previewSubscription(context.organisationId(), planInput(request)));
  },

  async previewCancellation(_request, context) {
    return previewMessage(await app.previewCancellation(context.organisationId()));
  },

  async previewResumption(_request, context) {
    return previewMessage(await app.previewResumption(context.organisationId()));
  },

  async getSubscriptionChange({ changeId }, context) {
    const change = await app.getSubscriptionChange(context.organisationId(), changeId);
    return changeMessage(change, await app.paymentOf(change));
  },

  async cancelSubscriptionChange({ changeId }, context) {
    return changeMessage(await app.cancelSubscriptionChange(context.organisationId(), changeId), null);
  },

  async getSubscription(_request, context) {
    const subscription = await app.getSubscription(context.organisationId());
    if (!subscription) return freeMessage(currency);
    const openInvoiceId = await app.openInvoiceOf(context.organisationId(), subscription);
    return { ...subscriptionMessage(subscription, currency), openInvoiceId };
  },

  async cancelSubscription({ previewToken }, context) {
    return subscriptionMessage(await app.cancelSubscription(context.actorContext(), previewToken), currency);
  },

  async resumeSubscription({ previewToken }, context) {
    return subscriptionMessage(await app.resumeSubscription(context.actorContext(), previewToken), currency);
  },
});

const planInput = ({
  seatCount,
  subscriptionTier,
  renewalCycle,
  renew,
  trial,
  trialMissingPaymentMethod,
}: PreviewSubscriptionRequest): PlanInput => ({
  tier: subscriptionTier,
  seatCount,
  renew,
  trial,
  trialEnd: trialMissingPaymentMethod ?? null,
  ...(renewalCycle && { renewalCycle }),
});

const changeMessage = (change: SubscriptionChange, payment: Payment | null): SubscriptionChangeInput => ({
  id: change.id,
  createdAt: change.startedAt,
  state: stateOf(change, payment),
  clientSecret: change.state === 'done' ? null : (payment?.clientSecret ?? null),
  change: change.kind,
  total: majorUnits(change.totalMinor, change.currency),
  totalMinor: change.totalMinor.toString(),
  currency: change.currency,
  code: change.state === 'done' ? codeOf(change) : null,
});

function stateOf({ state, outcome }: SubscriptionChange, payment: Payment | null): SubscriptionChangeInput['state'] {
  if (state === 'done') return outcome === 'accepted' ? 'SUCCEEDED' : 'REFUSED';
  return payment?.state === 'REQUIRES_ACTION' ? 'REQUIRES_ACTION' : 'PENDING';
}

function codeOf({ outcome, refusal }: SubscriptionChange): string | null {
  if (outcome === 'payment_refused') return refusal?.code ?? cardDeclined.code;
  if (outcome === 'seats_taken') return seatsInUse.code;
  return outcome === 'organisation_gone' ? organisationNotFound.code : null;
}

const previewMessage = ({ kind, plan, lines, taxed, ...preview }: TokenedPreview): SubscriptionPreviewInput => ({
  changes: kind !== null,
  tier: plan.tier,
  seatCount: plan.seatCount,
  renewalCycle: plan.renewalCycle,
  takesEffectAt: preview.takesEffectAt,
  currentPeriodEnd: preview.periodEnd,
  trialEndsAt: preview.trialEndsAt,
  planCreditsMicros: preview.planCredits.toString(),
  lines: lines.map(({ description, quantity, amountMinor }) => ({
    description,
    quantity: String(quantity),
    amount: majorUnits(amountMinor, preview.currency),
    amountMinor: amountMinor.toString(),
  })),
  subtotal: majorUnits(preview.subtotalMinor, preview.currency),
  tax: majorUnits(preview.taxMinor, preview.currency),
  total: majorUnits(preview.totalMinor, preview.currency),
  currency: preview.currency,
  country: preview.country,
  credit: majorUnits(preview.creditMinor, preview.currency),
  change: kind,
  token: preview.token,
  tokenExpiresAt: preview.expiresAt,
  taxRate: Number(taxed.basisPoints) / 100,
  taxTreatment: taxed.treatment,
  taxNote: taxNote(taxed),
  renewsAt: preview.renewal?.at ?? null,
  renewalTotalMinor: preview.renewal?.totalMinor.toString() ?? null,
  subtotalMinor: preview.subtotalMinor.toString(),
  taxMinor: preview.taxMinor.toString(),
  totalMinor: preview.totalMinor.toString(),
  creditMinor: preview.creditMinor.toString(),
});

const subscriptionMessage = (subscription: Subscription, soldIn: string): SubscriptionInput => {
  const { plan, period, agreed, pending, trial } = subscription;
  const currency = agreed.at(-1)?.prices.currency ?? soldIn;
  return {
    id: subscription.id,
    tier: plan.tier,
    seatCount: plan.seatCount,
    status: shownStatus(subscription),
    renewalCycle: plan.renewalCycle,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    trialEndsAt: trial?.endsAt ?? null,
    planCreditsMicros: shownCredits(subscription).toString(),
    trialMissingPaymentMethod: trial?.missingPaymentMethod ?? null,
    pendingTier: pending?.tier ?? null,
    pendingSeatCount: pending?.seatCount ?? null,
    pendingRenewalCycle: pending?.renewalCycle ?? null,
    graceEndsAt: subscription.graceEndsAt,
    nextAttemptAt: subscription.status === 'PAST_DUE' ? subscription.nextActionAt : null,
    version: subscription.version.toString(),
    credit: majorUnits(subscription.creditMinor, currency),
    creditMinor: subscription.creditMinor.toString(),
    currency,
  };
};

/** Of an organisation that has never bought anything: what everybody has. */
function freeMessage(currency: string): SubscriptionInput {
  const { tier, maxMemberLimit, seatsRenewalCycle } = organisationPlanOf(null);
  return {
    id: '00000000-0000-0000-0000-000000000000',
    tier,
    seatCount: maxMemberLimit,
    status: 'FREE',
    renewalCycle: seatsRenewalCycle,
    currentPeriodStart: null,
    currentPeriodEnd: null,
    pendingTier: null,
    pendingRenewalCycle: null,
    trialEndsAt: null,
    planCreditsMicros: '0',
    trialMissingPaymentMethod: null,
    version: '0',
    credit: 0,
    creditMinor: '0',
    currency,
  };
}
