import { deadlineExceeded } from '@platform-backend/core';
import type { Knex } from 'knex';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Database } from './database.ts';

export interface RowBatchesOptions {
  /** Rows that are read at a time; so many, and as many again, are in memory. */
  readonly batchRows: number;
  /** How long all of it may take, in milliseconds; `deadline_exceeded` then. */
  readonly timeoutMs: number;
}

/** A query that is not run yet, with `:name` for its values. */
export interface SelectStatement {
  readonly text: string;
  readonly values: Readonly<Record<string, Knex.RawBinding>>;
}

/**
 * The rows of a query of one organisation, in batches, all of them as they were at one moment however long they are read: the next
 * ones are asked for when those before were taken. A connection, and its transaction, is held until the last one is taken or nobody wants
 * any more; whoever stops in the midst for longer than a transaction may be idle hears `unavailable`.
 *
 * `select` may look at other things first, in the same transaction, and refuse. A query in the order of an index is read row by row;
 * any other is sorted before its first row.
 */
export async function* rowBatches<Row>(
  database: Pick<Database, 'tenant'>,
  organisationId: string,
  select: (trx: Knex.Transaction) => Promise<SelectStatement>,
  { batchRows, timeoutMs }: RowBatchesOptions,
): AsyncGenerator<readonly Row[]> {
  const batches = new PassThrough({ objectMode: true, readableHighWaterMark: 1, writableHighWaterMark: 1 });
  const nobodyReads = new AbortController();
  const until = performance.now() + timeoutMs;
  let hasBegun = false;
  const reading = database
    .tenant(
      organisationId,
      async (trx) => {
        // What was handed out cannot be taken back.
        if (hasBegun) throw new Error('rows of a query are read once');
        const { text, values } = await select(trx);
        await trx.raw(`DECLARE row_batches NO SCROLL CURSOR FOR ${text}`, values);
        for (;;) {
          const { rows } = await trx.raw<{ rows: Row[] }>(`FETCH ${String(batchRows)} FROM row_batches`);
          if (rows.length === 0) return;
          if (performance.now() > until) throw deadlineExceeded();
          hasBegun = true;
          if (!batches.write(rows)) await once(batches, 'drain', { signal: nobodyReads.signal });
        }
      },
      { isolation: 'repeatable read', readOnly: true, inIndexOrder: true },
    )
    .then(
      () => batches.end(),
      (error: unknown) => batches.destroy(error as Error),
    );
  try {
    yield* batches as AsyncIterable<Row[]>;
  } finally {
    nobodyReads.abort();
    await reading;
  }
}
