import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** Rows that are removed in one transaction. */
const removedAtOnce = 5_000;

/** What of a table is older than a moment, by the index on its time. */
interface OldRows {
  readonly table: string;
  readonly time: string;
  readonly before: Date;
}

/**
 * Removes old rows of all organisations, some thousands in each transaction, which the setting opens to it; answers how many. What another replica removes
 * meanwhile is gone, and passed over.
 */
export async function forgetOldest(database: Database, sweep: string, old: OldRows): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await database.system({ 'app.sweep': sweep }, (trx) => forgetSome(trx, old));
    removed += some;
    if (some < removedAtOnce) return removed;
  }
}

async function forgetSome(trx: Knex.Transaction, { table, time, before }: OldRows): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `DELETE FROM ?? WHERE ctid = ANY (ARRAY(SELECT ctid FROM ?? WHERE ?? < ? ORDER BY ?? LIMIT ?))`,
    [table, table, time, before, time, removedAtOnce],
  );
  return rowCount;
}
