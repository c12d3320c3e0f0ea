import type { BillingEvents } from '@platform-backend/contract-billing/events';
import { serviceActorContext, type ActorContext, type EventOf } from '@platform-backend/core';

/** The names of what can happen here, without the note for the audit log about it. */
export type BillingEventName = Exclude<keyof BillingEvents, 'audit.recorded'>;

/** A fact that this service publishes; with a `change` members find it in the audit log. */
export type BillingEvent<Name extends BillingEventName = BillingEventName> = EventOf<BillingEvents, Name>;

/** Billing itself, of which events say that it was the one, where a schedule and not a request is the reason. */
export const systemActor = (organisationId: string, requestId: string): ActorContext =>
  serviceActorContext('billing', organisationId, requestId);

/** Kinds of mails, which organisations can do without one by one. */
export const billingMailKinds = [
  'BALANCE_LOW',
  'INVOICE_ISSUED',
  'PAYMENT_FAILED',
  'RENEWAL_UPCOMING',
  'TOP_UP_SUCCEEDED',
  'TOP_UP_FAILED',
  'TRIAL_ENDING',
] as const;

export type BillingMailKind = (typeof billingMailKinds)[number];

/** What is told by mail as well as by an event. */
const mailed: Partial<Record<BillingEventName, BillingMailKind>> = {
  'credits.balance_low': 'BALANCE_LOW',
  'invoice.issued': 'INVOICE_ISSUED',
  'subscription.payment_failed': 'PAYMENT_FAILED',
  'subscription.renewal_upcoming': 'RENEWAL_UPCOMING',
  'subscription.trial_ending': 'TRIAL_ENDING',
  'top_up.succeeded': 'TOP_UP_SUCCEEDED',
  'top_up.failed': 'TOP_UP_FAILED',
};

/** The mail that goes out about an event; null: none. */
export function mailKindOf(event: BillingEvent): BillingMailKind | null {
  // Of a change that was refused hears who has asked for it.
  if (event.name === 'subscription.payment_failed' && !('grace_ends_at' in event.data && event.data.grace_ends_at))
    return null;
  return mailed[event.name] ?? null;
}
