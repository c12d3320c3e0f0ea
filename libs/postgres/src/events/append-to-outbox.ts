import { encodeEvent, type Event } from '@platform-backend/events';
import type { Knex } from 'knex';
import { runPrepared } from '../prepared.ts';
import { OUTBOX_CHANNEL } from './event-tables.ts';

/**
 * The statement, or the part of a larger one, that appends events to the outbox: of each row of `rows` the column `e`,
 * an event as `encodeEvent` writes it. It does not wake the relay.
 */
export const insertIntoOutbox = (rows: string): string => `
  INSERT INTO outbox (id, organisation_id, type, subject, envelope)
  SELECT e ->> 'id', e ->> 'organisationid', e ->> 'type', e ->> 'subject', e FROM ${rows}`;

/**
 * Makes the events part of the transaction: they are published if and only if it commits. One statement,
 * however many events, and it wakes the relay at the commit. Append while the changed row is locked, so that
 * the order of events of one subject is the order of its changes. Throws on an event that is too large.
 */
export async function appendToOutbox(trx: Knex.Transaction, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  await runPrepared(trx, append, [`[${events.map(encodeEvent).join(',')}]`, OUTBOX_CHANNEL]);
}

const append = {
  name: 'append-to-outbox',
  text: `
    WITH appended AS (
      ${insertIntoOutbox('jsonb_array_elements(?::jsonb) WITH ORDINALITY AS given (e, position) ORDER BY position')}
    )
    SELECT pg_notify(?, '')`,
};
