import { describe, expect, it } from '@jest/globals';
import { setImmediate as settled } from 'node:timers/promises';
import { warmPool } from './warm-pool.ts';

/** Processes that start when the test says so. */
function starts() {
  const all: PromiseWithResolvers<{ readonly number: number; readonly ended: Promise<unknown> }>[] = [];
  return {
    begun: () => all.length,
    start: () => {
      const one = Promise.withResolvers<{ readonly number: number; readonly ended: Promise<unknown> }>();
      all.push(one);
      return one.promise;
    },
    ready: async (number: number) => {
      all[number]?.resolve({ number, ended: new Promise(() => undefined) });
      await settled();
    },
    fail: async (number: number) => {
      all[number]?.reject(new Error('no'));
      await settled();
    },
  };
}

describe('a pool of warm processes', () => {
  it('gives one that is ready, and starts another in its place', async () => {
    const { begun, start, ready } = starts();
    const pool = warmPool(1, start);
    await ready(0);
    expect(begun()).toBe(1);
    expect(await pool.take()).toMatchObject({ number: 0 });
    expect(begun()).toBe(2);
    pool.close();
  });

  it('gives the one that is being started to the first who wants one, and no other to the next', async () => {
    const { begun, start, ready } = starts();
    const pool = warmPool(1, start);
    const [first, second] = [pool.take(), pool.take()];
    expect(await second).toBeUndefined();
    await ready(0);
    expect(await first).toMatchObject({ number: 0 });
    expect(begun()).toBe(2);
    pool.close();
  });

  it('starts none before the first is wanted, where that is said, and gives that one to whoever wants it', async () => {
    const { begun, start, ready } = starts();
    const pool = warmPool(1, start, 'first use');
    await settled();
    expect(begun()).toBe(0);
    const first = pool.take();
    await ready(0);
    expect(await first).toMatchObject({ number: 0 });
    await ready(1);
    expect(await pool.take()).toMatchObject({ number: 1 });
    pool.close();
  });

  it('gives none where the start fails, and none where none are kept', async () => {
    const { start, fail } = starts();
    const pool = warmPool(1, start);
    const taken = pool.take();
    await fail(0);
    expect(await taken).toBeUndefined();
    pool.close();
    expect(await warmPool(0, start).take()).toBeUndefined();
  });
});
