import type { Database, Knex } from '@platform/postgres';
import type { DeliveredEvent, EventData } from './event.ts';
import { INBOX_SETTINGS } from './event-tables.ts';

/** What a service does about an event: database work through `trx` alone, so that it commits or vanishes as a whole. */
export type Effect<Data extends EventData = EventData> = (
  trx: Knex.Transaction,
  event: DeliveredEvent<Data>,
) => Promise<void>;

/**
 * Makes an effect happen once per event, however often the event arrives: its inbox row and the effect commit
 * together, in a transaction of the event's organisation. A second delivery at the same time waits for the first.
 */
export function oncePerEvent<Data extends EventData>(
  database: Database,
  consumer: string,
  effect: Effect<Data>,
): (event: DeliveredEvent<Data>) => Promise<void> {
  return (event) =>
    database.tenant(event.organisationId, async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        'INSERT INTO inbox (consumer, event_id, organisation_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [consumer, event.id, event.organisationId],
      );
      if (rowCount === 1) await effect(trx, event);
    });
}

/**
 * Forgets inbox rows older than this many milliseconds; returns how many. Must be longer than an event can still
 * come again: outbox retention (replay) plus the stream's age.
 */
export const pruneInbox = (database: Database, olderThanMs: number, limit = 5_000): Promise<number> =>
  database.system(INBOX_SETTINGS, async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `DELETE FROM inbox WHERE (consumer, event_id) IN (
         SELECT consumer, event_id FROM inbox WHERE handled_at < now() - make_interval(secs => ?)
         ORDER BY handled_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [olderThanMs / 1000, limit],
    );
    return rowCount;
  });
