import { describe, expect, it } from '@jest/globals';
import { failureOf } from './failure.ts';

describe('why a step fails', () => {
  it('is said in few words and whole characters: a run is kept as JSON, which takes no half of one', () => {
    const said = { exception_type: 'Conversion', exception_message: `.${'😀'.repeat(5_000)}` };
    const { code, message } = failureOf(new Error(JSON.stringify(said)), { query: '', folder: '/steps' });
    expect([code, message.length, message.isWellFormed()]).toEqual(['conversion', 2_000, true]);
  });
});
