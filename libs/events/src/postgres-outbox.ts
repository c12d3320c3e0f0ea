import type { Database, Knex } from '@platform/postgres';
import { OUTBOX_CHANNEL, RELAY_SETTINGS } from './event-tables.ts';
import type { BatchOutcome, Outbox, OutboxMessage } from './outbox.ts';

interface TakenRow extends OutboxMessage {
  sequence: string;
  held_back: boolean;
}

/**
 * The outbox table. A batch stays locked while it is published, so several relays share the work, and a relay
 * that dies gives its batch back the moment its connection ends.
 */
export function postgresOutbox(database: Database): Outbox {
  return {
    publishNext: (limit, publish) =>
      database.system(RELAY_SETTINGS, async (trx): Promise<BatchOutcome> => {
        const rows = await takeBatch(trx, limit);
        const ready = rows.filter((row) => !row.held_back);
        if (ready.length === 0) return { published: 0, failed: 0, heldBack: rows.length };
        const published = await publish(ready);
        const done = ready.filter(({ id }) => published.has(id)).map(({ sequence }) => sequence);
        if (done.length > 0) {
          await trx('outbox').whereIn('sequence', done).update({ published_at: trx.fn.now() });
        }
        return {
          published: done.length,
          failed: ready.length - done.length,
          heldBack: rows.length - ready.length,
        };
      }),

    listen: (wake) => database.listen(OUTBOX_CHANNEL, wake),

    prune: (olderThanMs) =>
      database.system(RELAY_SETTINGS, async (trx) => {
        const { rowCount } = await trx.raw<{ rowCount: number }>(
          `DELETE FROM outbox WHERE sequence IN (
             SELECT sequence FROM outbox
             WHERE created_at < now() - make_interval(secs => ?) AND published_at IS NOT NULL
             ORDER BY created_at, sequence LIMIT ? FOR UPDATE SKIP LOCKED)`,
          [olderThanMs / 1000, PRUNE_LIMIT],
        );
        return rowCount;
      }),

    backlog: () =>
      database.system(RELAY_SETTINGS, async (trx) => {
        const { rows } = await trx.raw<{ rows: [{ events: number; oldest_age_ms: number }] }>(
          `SELECT count(*)::int AS events,
                  coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::float8 AS oldest_age_ms
           FROM outbox WHERE published_at IS NULL`,
        );
        return { events: rows[0].events, oldestAgeMs: Math.max(0, rows[0].oldest_age_ms) };
      }),
  };
}

/** Rows deleted in one go, so that pruning never holds many locks. */
export const PRUNE_LIMIT = 5_000;

/**
 * SKIP LOCKED would let a second relay publish a later event of a subject before the first relay has published
 * an earlier one. A row is therefore held back while an earlier one of its subject is unpublished and not in
 * this same batch. (The snapshot may be a moment old; it then holds back too much, never too little.)
 */
async function takeBatch(trx: Knex.Transaction, limit: number): Promise<TakenRow[]> {
  const { rows } = await trx.raw<{ rows: TakenRow[] }>(
    `WITH batch AS MATERIALIZED (
       SELECT sequence, id, type, subject, envelope FROM outbox
       WHERE published_at IS NULL ORDER BY sequence LIMIT ? FOR UPDATE SKIP LOCKED
     )
     SELECT sequence, id, type, envelope::text AS body,
            EXISTS (SELECT FROM outbox earlier
                    WHERE earlier.subject = batch.subject AND earlier.sequence < batch.sequence
                      AND earlier.published_at IS NULL
                      AND earlier.sequence NOT IN (SELECT sequence FROM batch)) AS held_back
     FROM batch ORDER BY sequence`,
    [limit],
  );
  return rows;
}
