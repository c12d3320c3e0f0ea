import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { PreparedStatement } from './one-round-trip.ts';
import { applySettings } from './transaction-settings.ts';

type Settings = Readonly<Record<string, string>>;

/**
 * What would be transactions of their own, as parts of one that is open: each sees what its own settings open, one after the
 * other, and then the settings are again those of the transaction. It is for reading; nothing is tried again.
 */
export interface ReadsInside {
  run<T>(settings: Settings, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  statement<Row>(settings: Settings, statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]>;
  /** Resolves when all that was begun is over, whoever waits for it. */
  end(): Promise<void>;
}

export function readsIn(trx: Knex.Transaction, connection: Client, outer: Settings): ReadsInside {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  const run: ReadsInside['run'] = (settings, work) =>
    inTurn(async () => {
      const names = new Set([...Object.keys(outer), ...Object.keys(settings)]);
      const differing = [...names].filter((name) => outer[name] !== settings[name]);
      const those = (given: Settings): Settings =>
        Object.fromEntries(differing.map((name) => [name, given[name] ?? '']));
      await applySettings(trx, those(settings));
      const restore = () => applySettings(trx, those(outer));
      const done = await work(trx).catch(async (error: unknown) => {
        // Where PostgreSQL has given the transaction up there is nothing left to restore.
        await restore().catch(() => undefined);
        throw error;
      });
      await restore();
      return done;
    });

  return {
    run,
    statement: (settings, { text }, values) =>
      run(settings, async () => {
        const { rows } = await connection.query({ text, values: [...values] });
        // Only the caller knows what the statement answers.
        return rows as never[];
      }),
    async end() {
      for (let before: unknown; before !== last;) {
        before = last;
        await last;
      }
    },
  };
}
