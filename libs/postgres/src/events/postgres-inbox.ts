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
