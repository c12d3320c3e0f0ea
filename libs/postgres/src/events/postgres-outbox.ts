import type { BatchOutcome, EventRange, EventSetAside, Outbox, OutboxMessage } from '@platform-backend/events';
import type { Knex } from 'knex';
import { advisoryLock } from '../advisory-lock.ts';
import type { Database } from '../database.ts';
import { runPrepared } from '../prepared.ts';
import { OUTBOX_CHANNEL, PRUNE_LIMIT, RELAY_SETTINGS } from './event-tables.ts';

/** Bytes of the events that are published at once; the one that passes it is still among them. */
const BATCH_BYTES = 4 * 1024 * 1024;

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
    publishNext: (limit, publish) => {
      const publishBatch = async (trx: Knex.Transaction): Promise<BatchOutcome> => {
        const rows = await takeBatch(trx, limit);
        const ready = rows.filter((row) => !row.held_back);
        const heldBack = rows.length - ready.length;
        if (ready.length === 0) return { published: 0, setAside: 0, failed: 0, heldBack };
        const { published, permanentFailures } = await publish(ready);
        const done = ready.filter(({ id }) => published.has(id)).map(({ sequence }) => sequence);
        if (done.length > 0) await runPrepared(trx, notePublished, [done]);
        await setAside(trx, permanentFailures);
        const failed = ready.length - done.length - permanentFailures.size;
        return { published: done.length, setAside: permanentFailures.size, failed, heldBack };
      };
      return database.system(RELAY_SETTINGS, publishBatch, { inIndexOrder: true });
    },

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
        const { rows } = await trx.raw<{ rows: [{ events: number; oldest_age_ms: number; set_aside: number }] }>(
          `SELECT count(*)::int AS events,
                  coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::float8 AS oldest_age_ms,
                  (SELECT count(*)::int FROM events_set_aside) AS set_aside
           FROM outbox WHERE published_at IS NULL`,
        );
        const [{ events, oldest_age_ms: oldestAgeMs, set_aside: aside }] = rows;
        return { events, oldestAgeMs: Math.max(0, oldestAgeMs), setAside: aside };
      }),

    async *history(range) {
      let after = '0';
      for (;;) {
        const rows = await database.system(RELAY_SETTINGS, (trx) => rowsOf(trx, range, after));
        if (rows.length > 0) yield rows;
        const last = rows.at(-1);
        if (!last || rows.length < HISTORY_BATCH) return;
        after = last.sequence;
      }
    },

    async republish(publishedBefore) {
      let count = 0;
      for (;;) {
        const changed = await database.system(RELAY_SETTINGS, async (trx) => {
          // One replica after the other, or one would take itself for done, and publish newer events before those of another.
          await advisoryLock(trx, 'events published again');
          // What is younger cannot have been published before, and is not read; what is being pruned is passed over.
          const { rowCount } = await trx.raw<{ rowCount: number }>(
            `UPDATE outbox SET published_at = NULL WHERE sequence IN (
               SELECT sequence FROM outbox WHERE created_at < :before AND published_at < :before
               ORDER BY created_at, sequence LIMIT :limit FOR UPDATE SKIP LOCKED)`,
            { before: publishedBefore, limit: PRUNE_LIMIT },
          );
          return rowCount;
        });
        count += changed;
        if (changed < PRUNE_LIMIT) return count;
      }
    },

    listSetAside: (limit = 1_000) =>
      database.system(RELAY_SETTINGS, async (trx) => {
        const { rows } = await trx.raw<{ rows: EventSetAside[] }>(
          `SELECT id, organisation_id AS "organisationId", type, subject, reason, octet_length(envelope::text) AS bytes,
                  created_at AS "createdAt", set_aside_at AS "setAsideAt"
           FROM events_set_aside ORDER BY sequence LIMIT ?`,
          [limit],
        );
        return rows;
      }),

    retrySetAside: (ids) =>
      database.system(RELAY_SETTINGS, async (trx) => {
        const { rowCount } = await trx.raw<{ rowCount: number }>(
          `WITH back AS (
             DELETE FROM events_set_aside WHERE :ids::text[] IS NULL OR id = ANY (:ids::text[]) RETURNING *
           )
           INSERT INTO outbox (id, organisation_id, type, subject, envelope, created_at)
           SELECT id, organisation_id, type, subject, envelope, created_at FROM back ORDER BY sequence`,
          { ids: ids ? [...ids] : null },
        );
        if (rowCount > 0) await trx.raw(`SELECT pg_notify(?, '')`, [OUTBOX_CHANNEL]);
        return rowCount;
      }),
  };
}

/**
 * SKIP LOCKED would let a second relay publish a later event of a subject before the first relay has published
 * an earlier one. A row is therefore held back while an earlier one of its subject is unpublished and not in
 * this same batch. (The snapshot may be a moment old; it then holds back too much, never too little.) Large events
 * make a batch shorter, so that a relay's memory is bounded.
 */
const takeBatch = (trx: Knex.Transaction, limit: number): Promise<TakenRow[]> =>
  runPrepared(trx, take, [limit, BATCH_BYTES]);

const take = {
  name: 'take-from-outbox',
  text: `
    WITH batch AS MATERIALIZED (
       SELECT sequence, id, type, subject, organisation_id, envelope ->> 'requestid' AS request_id, envelope::text AS body FROM outbox
       WHERE published_at IS NULL ORDER BY sequence LIMIT ? FOR UPDATE SKIP LOCKED
     ), judged AS (
       SELECT sequence, id, type, organisation_id, request_id, body,
              sum(octet_length(body)) OVER (ORDER BY sequence) - octet_length(body) >= ?
                OR EXISTS (SELECT FROM outbox earlier
                           WHERE earlier.subject = batch.subject AND earlier.sequence < batch.sequence
                             AND earlier.published_at IS NULL
                             AND earlier.sequence NOT IN (SELECT sequence FROM batch)) AS held_back
       FROM batch
     )
     SELECT sequence, id, type, organisation_id AS "organisationId", request_id AS "requestId",
            CASE WHEN held_back THEN '' ELSE body END AS body, held_back
     FROM judged ORDER BY sequence`,
};

const notePublished = {
  name: 'note-published',
  text: 'UPDATE outbox SET published_at = now() WHERE sequence = ANY (?::bigint[])',
};

/** Takes events out of the outbox, with the reason for each by its id. */
async function setAside(trx: Knex.Transaction, reasons: ReadonlyMap<string, string>): Promise<void> {
  if (reasons.size === 0) return;
  await trx.raw(
    `WITH gone AS (DELETE FROM outbox WHERE id = ANY (:ids) RETURNING *)
     INSERT INTO events_set_aside (sequence, id, organisation_id, type, subject, envelope, created_at, reason)
     SELECT sequence, id, organisation_id, type, subject, envelope, created_at, reason
     FROM gone JOIN unnest(:ids::text[], :reasons::text[]) AS given (id, reason) USING (id)`,
    { ids: [...reasons.keys()], reasons: [...reasons.values()] },
  );
}

/** Of half a mebibyte each at most. */
const HISTORY_BATCH = 100;

type StoredRow = Omit<TakenRow, 'held_back'>;

async function rowsOf(
  trx: Knex.Transaction,
  { from, to, types, organisationId }: EventRange,
  after: string,
): Promise<StoredRow[]> {
  const rows = trx('outbox')
    .select<StoredRow[]>(
      'sequence',
      'id',
      'type',
      'organisation_id AS organisationId',
      trx.raw('envelope::text AS body'),
    )
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(HISTORY_BATCH);
  if (types) void rows.whereIn('type', [...types]);
  if (organisationId !== undefined) void rows.where({ organisation_id: organisationId });
  return rows;
}
