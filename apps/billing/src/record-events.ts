import type { ActorContext, DomainEvent } from '@platform-backend/core';
import { publishedEvent, type Event } from '@platform-backend/events';
import { recordEventsOf, type RecordEvents } from '@platform-backend/postgres';
import type { BillingEvent } from './events.ts';

/** Puts what has happened into the outbox, in the transaction of the change itself. */
export const recordEvents: RecordEvents<BillingEvent> = recordEventsOf('billing');

/** The event as it is published; of a settlement or a release, as far as it is known before the statement that completes it. */
export const outgoing = (by: ActorContext, event: DomainEvent<BillingEvent['name']>): Event =>
  publishedEvent('billing', by, event);
