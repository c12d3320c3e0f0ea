import { DomainError, nextRetryAt, type Clock } from '@platform-backend/core';
import type { OrganisationNames } from '../../invoices/domain/invoices.ts';
import type { Payment, PaymentRequest } from '../../payments/domain/payment.ts';
import {
  applied,
  checked,
  isPaidBy,
  organisationGone,
  paid,
  paymentRefused,
  planWhileChanging,
  seatsTaken,
  subscriptionAfter,
  type PaymentRefusal,
  type SubscriptionChange,
} from '../domain/subscription-change.ts';
import { organisationPlanOf, type OrganisationPlan } from '../domain/subscription.ts';
import type { Subscriptions } from '../domain/subscriptions.ts';

export interface RunChangePorts {
  readonly subscriptions: Subscriptions;
  readonly organisations: OrganisationDirectory;
  readonly organisationNames: OrganisationNames;
  readonly collectPayment: (request: PaymentRequest) => Promise<Payment>;
  /** Gives all of a payment back for which nothing was given. Repeating it is safe. */
  readonly refundSurplus: (payment: Payment) => Promise<void>;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** Identity, which owns organisations and their members and repeats what billing says about their plans. */
export interface OrganisationDirectory {
  /**
   * Tells identity; answers what the organisation is called. CONFLICT: more members are active, and while that is
   * found out nobody can join. NOT_FOUND: there is no such organisation any more.
   */
  applyPlan(report: PlanReport): Promise<string>;
}

/** What identity is told about an organisation's subscription. */
export interface PlanReport {
  readonly organisationId: string;
  readonly plan: OrganisationPlan;
  /** A report that is not newer than the one identity knows changes nothing. */
  readonly version: bigint;
  /** With more active members than this the report is refused. Null: it is not. */
  readonly maxActiveMembers: number | null;
  readonly requestId: string;
}

/** A change that could not go on is tried again by whoever comes first, after this long at the latest. */
const maxRetryMs = 5 * 60_000;

/** One that waits for its payment is gone on with when that is over, and looked at besides: banks take days. */
const maxWaitMs = 60 * 60_000;

/**
 * Takes a change through its steps to its end, from wherever it stands. Each step is safe to repeat and written down
 * before the next one begins, so a process may die between any two of them. It may have to wait for its payment: then
 * it is answered as it stands. When a step fails, the change is given back for the schedule to go on with, and the
 * failure is the caller's to hear.
 */
export async function runChange(ports: RunChangePorts, begun: SubscriptionChange): Promise<SubscriptionChange> {
  const { subscriptions, clock, leaseMs } = ports;
  let change = begun;
  try {
    while (change.state !== 'done') {
      const next = await nextStep(ports, change);
      const now = clock.now();
      if (next === change) {
        await subscriptions.giveBack(change, nextRetryAt(change.startedAt, now, maxWaitMs));
        return change;
      }
      const leased = { ...next, leaseUntil: new Date(now.getTime() + leaseMs) };
      change = leased.state === 'done' ? leased : await subscriptions.advance(leased);
      if (change.state === 'done') change = await subscriptions.finish(change, now);
    }
    return change;
  } catch (error) {
    await subscriptions.giveBack(change, nextRetryAt(change.startedAt, clock.now(), maxRetryMs)).catch(() => undefined);
    throw error;
  }
}

function nextStep(ports: RunChangePorts, change: SubscriptionChange): Promise<SubscriptionChange> {
  switch (change.state) {
    case 'checking':
      return check(ports, change);
    case 'charging':
      return charge(ports, change);
    case 'applying':
      return apply(ports, change);
    case 'done':
      return Promise.resolve(change);
  }
}

async function check(ports: RunChangePorts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const { organisationId, requestId, maxActiveMembers, checkVersion } = change;
  try {
    const plan = planWhileChanging(change);
    await tellIdentity(ports, { organisationId, requestId, plan, version: checkVersion, maxActiveMembers });
    return checked(change);
  } catch (error) {
    if (isRefusal(error, 'conflict')) return seatsTaken(change);
    if (isRefusal(error, 'not_found')) return organisationGone(change);
    throw error;
  }
}

/** Answers the very same change while it is not known whether it is paid. */
async function charge({ collectPayment }: RunChangePorts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const payment = await collectPayment({
    organisationId: change.organisationId,
    purpose: change.ifRefused || change.paysInvoiceOf ? 'SUBSCRIPTION_RENEWAL' : 'SUBSCRIPTION_CHANGE',
    subjectId: change.id,
    idempotencyKey: change.id,
    amountMinor: change.totalMinor,
    currency: change.currency,
    paymentMethodId: change.payer.paymentMethodId,
    payerIsAway: change.payer.isAbsent,
    description: `Subscription: ${change.ifPaid.plan.tier}, ${change.ifPaid.plan.seatCount} seats`,
    askedAt: change.startedAt,
  });
  switch (payment.state) {
    case 'SUCCEEDED':
      return paid(change, payment.reference ?? '');
    case 'DECLINED':
    case 'CANCELLED':
      return paymentRefused(change, refusalFor(payment.reason ?? 'card_declined'), payment.reference);
    case 'PENDING':
    case 'PROCESSING':
    case 'REQUIRES_ACTION':
    case 'UNRESOLVED':
      return change;
  }
}

/** What needs the payer is declined while nobody is there, as when a schedule renews. */
const refusalFor = (code: string): PaymentRefusal => ({
  code,
  message:
    code === 'authentication_required'
      ? 'The bank wants this payment confirmed: pay the open invoice, or use another card'
      : 'The payment was refused',
});

/**
 * Goes on with the change whose payment is over. What turns out to be paid after the change was given up, or was paid by another
 * attempt, is given back. Repeating it is safe.
 */
export async function changePaymentOver(ports: RunChangePorts, payment: Payment): Promise<void> {
  const found = await ports.subscriptions.change(payment.organisationId, payment.subjectId);
  const change = found?.state === 'charging' ? await runChange(ports, found) : found;
  if (payment.state !== 'SUCCEEDED' || (change && isPaidBy(change, payment))) return;
  if (change?.outcome === null) throw new Error(`the payment ${payment.id} is paid, and its change waits for another`);
  await ports.refundSurplus(payment);
}

async function apply(ports: RunChangePorts, change: SubscriptionChange): Promise<SubscriptionChange> {
  const { organisationId, requestId, finalVersion } = change;
  const plan = organisationPlanOf(subscriptionAfter(change));
  const report = { organisationId, requestId, plan, version: finalVersion, maxActiveMembers: null };
  try {
    await tellIdentity(ports, report);
  } catch (error) {
    // What is paid stays paid; the next look of the schedule ends the subscription.
    if (!isRefusal(error, 'not_found')) throw error;
  }
  return applied(change);
}

/** Its answer says what the organisation is called: the invoice need not ask for it again. */
async function tellIdentity({ organisations, organisationNames, clock }: RunChangePorts, report: PlanReport) {
  const askedAt = clock.now();
  const name = await organisations.applyPlan(report);
  await organisationNames.remember(report.organisationId, name, askedAt);
}

const isRefusal = (error: unknown, kind: DomainError['kind']): boolean =>
  error instanceof DomainError && error.kind === kind;
