import type { Knex } from 'knex';
import type { Client } from 'pg';
import { runTogether } from './one-round-trip.ts';

const SETTING_NAME = /^app\.[a-z_]+$/;

type Settings = Readonly<Record<string, string>>;

/** Local to the transaction, so that nothing of one caller is left on a pooled connection for the next. */
export async function applySettings(trx: Knex.Transaction, settings: Settings): Promise<void> {
  requireNames(settings);
  const entries = Object.entries(settings);
  if (entries.length === 0) return;
  const calls = entries.map(() => 'set_config(?, ?, true)').join(', ');
  await trx.raw(`SELECT ${calls}`, entries.flat());
}

/** Goes with the configuration of a transaction; knex hands it on as it is. */
const OPENING = Symbol('opening');

interface WithOpening {
  readonly [OPENING]?: readonly string[];
}

/** Of a transaction that has these settings from its first statement on, and these of the planner. */
export function openingOf(settings: Settings, planner: Settings): WithOpening {
  requireNames(settings);
  return { [OPENING]: Object.entries({ ...settings, ...planner }).flat() };
}

/** How knex makes a transaction and begins it; it has no types for it. */
interface Transaction {
  begin(connection: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}
interface KnexClient {
  transaction(container: unknown, config: WithOpening | undefined, outer: unknown): Transaction;
}

/** Has transactions of a pool begin and be given their settings in one round trip: knex would await one after the other. */
export function beginWithSettings(pool: Knex): void {
  const client = pool.client as KnexClient;
  const make = client.transaction.bind(client);
  client.transaction = (container, config, outer) => {
    const transaction = make(container, config, outer);
    const opening = config?.[OPENING] ?? [];
    if (opening.length === 0) return transaction;
    const begin = transaction.begin.bind(transaction);
    const query = transaction.query.bind(transaction);
    transaction.begin = (connection) => {
      // What it begins with, such as an isolation level, is for knex to say.
      transaction.query = (_, sql) => {
        transaction.query = query;
        return beginTogether(connection as Client, sql, opening);
      };
      return begin(connection);
    };
    return transaction;
  };
}

async function beginTogether(connection: Client, begin: string, opening: readonly string[]): Promise<void> {
  const calls = opening.flatMap((_, at) => (at % 2 === 0 ? `set_config($${at + 1}, $${at + 2}, true)` : []));
  const settings = { name: `set-${calls.length}`, text: `SELECT ${calls.join(', ')}` };
  try {
    await runTogether(connection, { name: begin, text: begin, values: [] }, settings, opening);
  } catch (error) {
    // knex takes a transaction that did not begin for none at all. Whether it is open is not known yet: PostgreSQL says it behind the error.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

export function requireNames(settings: Settings): void {
  for (const name of Object.keys(settings)) {
    if (!SETTING_NAME.test(name)) throw new Error(`"${name}" is not a setting for policies; they are named app.<name>`);
  }
}
