import { describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { readsIn } from './reads-inside.ts';

/** A transaction of these settings on a connection that takes its time, with what it was asked. */
function slowTransaction(outer: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const ask = async (what: string) => {
    asked.push(what);
    await new Promise(setImmediate);
    if (what === 'refused') throw new Error('it is refused');
    return { rows: [] };
  };
  const trx = {
    raw: (_sql: string, values: readonly string[]) => ask(values.join(' ')),
  } as unknown as Knex.Transaction;
  const connection = { query: ({ text }: { readonly text: string }) => ask(text) } as unknown as Client;
  return { asked, reads: readsIn(trx, connection, outer) };
}

const statement = (text: string) => ({ name: text, text });

describe('reads inside a transaction', () => {
  it('are over when it ends, also those that nobody waits for', async () => {
    const { asked, reads } = slowTransaction({});
    const all = ['one', 'refused', 'three', 'four'].map((text) => reads.statement({}, statement(text), []));
    const follows = all.at(-1)?.then(() => reads.statement({}, statement('five'), []));
    await expect(Promise.all(all)).rejects.toThrow('it is refused');
    await reads.end();
    expect(asked).toEqual(['one', 'refused', 'three', 'four', 'five']);
    await follows;
  });

  it('leave it the settings that it had, also where one of them fails', async () => {
    const { asked, reads } = slowTransaction({ 'app.keyed_call': 'c' });
    const refused = reads.run({ 'app.user_id': 'u' }, () => Promise.reject(new Error('there is no such thing')));
    await expect(refused).rejects.toThrow('there is no such thing');
    expect(asked).toEqual(['app.keyed_call  app.user_id u', 'app.keyed_call c app.user_id ']);
  });
});
