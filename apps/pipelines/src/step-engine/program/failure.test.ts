import { describe, expect, it } from '@jest/globals';
import { failureOf } from './failure.ts';

describe('why a step fails', () => {
  it('is said in few words and whole characters: a run is kept as JSON, which takes no half of one', () => {
    const said = { exception_type: 'Conversion', exception_message: `.${'😀'.repeat(5_000)}` };
    const { code, message } = failureOf(new Error(JSON.stringify(said)), { query: '', folder: '/steps' });
    expect([code, message.length, message.isWellFormed()]).toEqual(['conversion', 2_000, true]);
  });

  it.each([
    ['sales', 'sqlite_master', ''],
    ['tablez', 'pg_tables', ''],
    ['columns', 'information_schema.columns', ''],
    ['lead', 'leads', '\nDid you mean "leads"?'],
  ])('proposes for %s no table of the engine itself, as %s', (name, meant, proposed) => {
    const missing = `Table with name ${name} does not exist!`;
    const said = { exception_type: 'Catalog', exception_message: `${missing}\nDid you mean "${meant}"?` };
    const { code, message } = failureOf(new Error(JSON.stringify(said)), { query: '', folder: '/steps' });
    const advice = '\nA query reads what its step names as inputs, by these names.';
    expect([code, message]).toEqual(['unknown_table', missing + proposed + advice]);
  });
});
