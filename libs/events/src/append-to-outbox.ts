import type { Knex } from '@platform/postgres';
import { toCloudEvent } from './cloud-event.ts';
import type { Event } from './event.ts';
import { OUTBOX_CHANNEL } from './event-tables.ts';

/** Bytes of JSON, half of what NATS takes by default. The limits of the contract keep events far below it. */
const LARGEST_EVENT = 512 * 1024;

/**
 * Makes the events part of the transaction: they are published if and only if it commits. One statement,
 * however many events, and it wakes the relay at the commit. Append while the changed row is locked, so that
 * the order of events of one subject is the order of its changes. Throws on an event that is too large: the change
 * then does not happen, where it would otherwise happen unheard.
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
    [`[${events.map(written).join(',')}]`, OUTBOX_CHANNEL],
  );
}

function written(event: Event): string {
  const json = JSON.stringify(toCloudEvent(event));
  const bytes = Buffer.byteLength(json);
  if (bytes > LARGEST_EVENT) {
    throw new Error(`an event of type ${event.type} has ${bytes} bytes, more than ${LARGEST_EVENT}`);
  }
  return json;
}
