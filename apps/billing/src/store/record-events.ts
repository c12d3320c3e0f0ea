import { appendToOutbox, type Event } from '@platform/events';
import type { Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import type { BillingEvent } from '../domain/billing-event.ts';

/** Puts what has happened into the outbox, in the transaction of the change itself. */
export const recordEvents = (trx: Knex.Transaction, by: Acting, events: readonly BillingEvent[]): Promise<void> =>
  appendToOutbox(
    trx,
    events.map((event) => outgoing(by, event)),
  );

/** The event as it is published. */
export const outgoing = (by: Acting, { name, subject, data, at }: BillingEvent): Event => ({
  type: `platform.v1.billing.${name}`,
  organisationId: by.organisationId,
  subject,
  data,
  time: at,
  actor: {
    kind: by.actor.type,
    id: by.actor.id,
    name: by.actor.name,
    ...(by.actor.onBehalfOf && { onBehalfOf: by.actor.onBehalfOf }),
  },
  requestId: by.requestId,
});
