import { describe, expect, it } from '@jest/globals';
import { callerSignal, remainingDeadlineMs, withCaller } from '@platform-backend/core';
import { inBatches } from './in-batches.ts';

describe('work in batches', () => {
  it('is done together for all that came meanwhile, and has the deadline of none of them', async () => {
    const batches: (readonly string[])[] = [];
    const seen: unknown[] = [];
    const done = Promise.withResolvers<undefined>();
    const put = inBatches<string>(async (_key, items) => {
      await Promise.resolve();
      batches.push(items);
      seen.push(callerSignal(), remainingDeadlineMs());
      if (batches.length === 3) done.resolve(undefined);
    }, 2);
    withCaller({ signal: AbortSignal.abort(), deadline: new Date(0) }, () => put('key', 'a'));
    withCaller({ signal: new AbortController().signal }, () => put('key', 'b'));
    put('key', 'c');
    put('key', 'd');
    await done.promise;
    expect(batches).toEqual([['a'], ['b', 'c'], ['d']]);
    expect(seen).toEqual([undefined, Infinity, undefined, Infinity, undefined, Infinity]);
  });
});
