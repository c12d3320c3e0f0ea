import type { Database, Knex } from '@platform/postgres';
import { OUTBOX_CHANNEL, RELAY_SETTINGS } from './event-tables.ts';

/** An event that could never be published, kept whole until somebody has removed the reason. */
export interface EventSetAside {
  id: string;
  organisationId: string;
  type: string;
  subject: string;
  reason: string;
  /** Of its JSON. */
  bytes: number;
  /** When it was appended to the outbox. */
  createdAt: Date;
  setAsideAt: Date;
}

/** Takes events out of the outbox, with the reason for each by its id. */
export async function setAside(trx: Knex.Transaction, reasons: ReadonlyMap<string, string>): Promise<void> {
  if (reasons.size === 0) return;
  await trx.raw(
    `WITH gone AS (DELETE FROM outbox WHERE id = ANY (:ids) RETURNING *)
     INSERT INTO events_set_aside (sequence, id, organisation_id, type, subject, envelope, created_at, reason)
     SELECT sequence, id, organisation_id, type, subject, envelope, created_at, reason
     FROM gone JOIN unnest(:ids::text[], :reasons::text[]) AS given (id, reason) USING (id)`,
    { ids: [...reasons.keys()], reasons: [...reasons.values()] },
  );
}

/** The oldest of them, in the order in which they were appended. */
export const listSetAside = (database: Database, limit = 1_000): Promise<EventSetAside[]> =>
  database.system(RELAY_SETTINGS, async (trx) => {
    const { rows } = await trx.raw<{ rows: EventSetAside[] }>(
      `SELECT id, organisation_id AS "organisationId", type, subject, reason, octet_length(envelope::text) AS bytes,
              created_at AS "createdAt", set_aside_at AS "setAsideAt"
       FROM events_set_aside ORDER BY sequence LIMIT ?`,
      [limit],
    );
    return rows;
  });

/**
 * Puts events back at the end of the outbox, for the relay to try them once more: those with these ids, or all.
 * Returns how many. Later events of their subjects may have been published in the meantime.
 */
export const retrySetAside = (database: Database, ids?: readonly string[]): Promise<number> =>
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
  });
