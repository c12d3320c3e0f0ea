import type { BillingEvents } from '@platform-backend/contract-billing/events';
import { serviceActorContext, type ActorContext, type EventOf } from '@platform-backend/core';

/** The names of what can happen here, without the note for the audit log about it. */
export type BillingEventName = Exclude<keyof BillingEvents, 'audit.recorded'>;

/** A fact that this service publishes; with a `change` members find it in the audit log. */
export type BillingEvent<Name extends BillingEventName = BillingEventName> = EventOf<BillingEvents, Name>;

/** Billing itself, of which events say that it was the one, where a schedule and not a request is the reason. */
export const systemActor = (organisationId: string, requestId: string): ActorContext =>
  serviceActorContext('billing', organisationId, requestId);
