import type { Inbox } from '@platform-backend/events';
import type { Knex } from 'knex';
import type { Database } from '../database.ts';
import { INBOX_SETTINGS, PRUNE_LIMIT } from './event-tables.ts';

/** The inbox table. A second delivery at the same time waits for the first. */
export const postgresInbox = (database: Database): Inbox<Knex.Transaction> => ({
  once: (consumer, event, effect) =>
    database.tenant(event.organisationId, async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        'INSERT INTO inbox (consumer, event_id, organisation_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [consumer, event.id, event.organisationId],
      );
      if (rowCount === 1) await effect(trx, event);
    }),

  async onceEach(consumer, events, effect) {
    // In one order everywhere, so that two replicas never wait for each other; and each once, should one come twice.
    const byId = new Map(events.map((event) => [event.id, event]));
    const ids = [...byId.keys()].toSorted();
    const [first] = events;
    if (!first) return;
    await database.tenant(first.organisationId, async (trx) => {
      const { rows } = await trx.raw<{ rows: { event_id: string }[] }>(
        `INSERT INTO inbox (consumer, event_id, organisation_id)
         SELECT ?, id, ? FROM unnest(?::text[]) AS id ON CONFLICT DO NOTHING RETURNING event_id`,
        [consumer, first.organisationId, ids],
      );
      const fresh = new Set(rows.map(({ event_id: id }) => id));
      if (fresh.size > 0)
        await effect.ofMany(
          trx,
          [...byId.values()].filter(({ id }) => fresh.has(id)),
        );
    });
  },

  prune: (olderThanMs) =>
    database.system(INBOX_SETTINGS, async (trx) => {
      const { rowCount } = await trx.raw<{ rowCount: number }>(
        `DELETE FROM inbox WHERE (consumer, event_id) IN (
           SELECT consumer, event_id FROM inbox WHERE handled_at < now() - make_interval(secs => ?)
           ORDER BY handled_at LIMIT ? FOR UPDATE SKIP LOCKED)`,
        [olderThanMs / 1000, PRUNE_LIMIT],
      );
      return rowCount;
    }),
});
