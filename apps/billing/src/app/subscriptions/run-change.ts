import { DomainError } from '@platform/core';
import {
  applied,
  checked,
  organisationGone,
  paid,
  paymentRefused,
  planWhileChanging,
  seatsTaken,
  subscriptionAfter,
  type PaymentRefusal,
  type SubscriptionChange,
} from '../../domain/subscriptions/subscription-change.ts';
import { organisationPlanOf } from '../../domain/subscriptions/subscription.ts';
import type { SubscriptionParts } from './subscription-parts.ts';

/** A change that could not go on is tried again after this long, by whoever comes first. */
const retryAfterMs = 5_000;

/**
 * Takes a change through its steps to its end, from wherever it stands. Each step is safe to repeat and written down
 * before the next one begins, so a process may die between any two of them. When a step fails, the change is given
 * back for the schedule to go on with, and the failure is the caller's to hear.
 */
export const runChange =
  (parts: SubscriptionParts) =>
  async (begun: SubscriptionChange): Promise<SubscriptionChange> => {
    const { subscriptions, clock, leaseMs } = parts;
    let change = begun;
    try {
      while (change.state !== 'done') {
        const next = await nextStep(parts, change);
        const now = clock.now();
        const leased = { ...next, leaseUntil: new Date(now.getTime() + leaseMs) };
        change = leased.state === 'done' ? leased : await subscriptions.advance(leased);
        if (change.state === 'done') await subscriptions.finish(change, now);
      }
      return change;
    } catch (error) {
      await subscriptions.giveBack(change, new Date(clock.now().getTime() + retryAfterMs)).catch(() => undefined);
      throw error;
    }
  };

function nextStep(parts: SubscriptionParts, change: SubscriptionChange): Promise<SubscriptionChange> {
  switch (change.state) {
    case 'checking':
      return check(parts, change);
    case 'charging':
      return charge(parts, change);
    case 'applying':
      return apply(parts, change);
    case 'done':
      return Promise.resolve(change);
  }
}

async function check({ organisations }: SubscriptionParts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const { organisationId, requestId, mostActiveMembers, checkVersion } = change;
  try {
    const plan = planWhileChanging(change);
    await organisations.applyPlan({ organisationId, requestId, plan, version: checkVersion, mostActiveMembers });
    return checked(change);
  } catch (error) {
    if (isRefusal(error, 'conflict')) return seatsTaken(change);
    if (isRefusal(error, 'not_found')) return organisationGone(change);
    throw error;
  }
}

async function charge({ payments }: SubscriptionParts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const outcome = await payments.charge({
    organisationId: change.organisationId,
    amount: change.totalMinor,
    currency: change.currency,
    idempotencyKey: change.id,
    description: `Subscription: ${change.ifPaid.plan.tier}, ${change.ifPaid.plan.seatCount} seats`,
    payerIsAway: true,
  });
  const reference = outcome.processorReference;
  switch (outcome.status) {
    case 'succeeded':
      return paid(change, reference);
    case 'declined':
      return paymentRefused(change, refusalFor(outcome.reason), reference);
    case 'requires_action':
      return paymentRefused(change, refusalFor('authentication_required'), reference);
  }
}

/** Processors decline what needs the payer, as nobody is asked while a subscription is charged. */
const refusalFor = (code: string): PaymentRefusal => ({
  code,
  message:
    code === 'authentication_required'
      ? 'The bank wants this payment confirmed, which a subscription cannot wait for: use another card'
      : 'The payment was refused',
});

async function apply({ organisations }: SubscriptionParts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const { organisationId, requestId, finalVersion } = change;
  const plan = organisationPlanOf(subscriptionAfter(change));
  const report = { organisationId, requestId, plan, version: finalVersion, mostActiveMembers: null };
  try {
    await organisations.applyPlan(report);
  } catch (error) {
    // What is paid stays paid; the next look of the schedule ends the subscription.
    if (!isRefusal(error, 'not_found')) throw error;
  }
  return applied(change);
}

const isRefusal = (error: unknown, kind: DomainError['kind']): boolean =>
  error instanceof DomainError && error.kind === kind;
