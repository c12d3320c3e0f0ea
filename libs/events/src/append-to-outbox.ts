import type { Knex } from '@platform/postgres';
import { toCloudEvent } from './cloud-event.ts';
import type { Event } from './event.ts';
import { OUTBOX_CHANNEL } from './event-tables.ts';

/**
 * Makes the events part of the transaction: they are published if and only if it commits. One statement,
 * however many events, and it wakes the relay at the commit. Append while the changed row is locked, so that
 * the order of events of one subject is the order of its changes.
 */
export async function appendToOutbox(trx: Knex.Transaction, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  await trx.raw(
    `WITH appended AS (
       INSERT INTO outbox (id, organisation_id, type, subject, envelope)
       SELECT e ->> 'id', e ->> 'organisationid', e ->> 'type', e ->> 'subject', e
       FROM jsonb_array_elements(?::jsonb) WITH ORDINALITY AS given (e, position) ORDER BY position
     )
     SELECT pg_notify(?, '')`,
    [JSON.stringify(events.map(toCloudEvent)), OUTBOX_CHANNEL],
  );
}
