import { newId, type ActorContext, type DomainEvent } from '@platform-backend/core';
import { publishedEvent, type Event } from '@platform-backend/events';
import { recordEventsOf, type RecordEvents } from '@platform-backend/postgres';
import type { BillingEvent } from './events.ts';
import { mailKindOf } from './events.ts';

const publish = recordEventsOf('billing');

/** Puts what has happened into the outbox, and the mails about it into theirs, in the transaction of the change itself. */
export const recordEvents: RecordEvents<BillingEvent> = async (trx, by, events) => {
  await publish(trx, by, events);
  const mails = events.flatMap((event) => {
    const kind = mailKindOf(event);
    if (kind === null) return [];
    const { at, data } = event;
    const waiting = { status: 'PENDING', next_attempt_at: new Date(0), created_at: at };
    return [{ ...waiting, id: newId(), organisation_id: by.organisationId, kind, data: JSON.stringify(data) }];
  });
  if (mails.length > 0) await trx('billing_mails').insert(mails);
};

/** The event as it is published; of a settlement or a release, as far as it is known before the statement that completes it. */
export const outgoing = (by: ActorContext, event: DomainEvent<BillingEvent['name']>): Event =>
  publishedEvent('billing', by, event);
