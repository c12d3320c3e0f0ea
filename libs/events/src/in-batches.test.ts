import { describe, expect, it } from '@jest/globals';
import { inRequest, presentRequestId, unavailable } from '@platform-backend/core';
import { inBatches } from './in-batches.ts';

/** Each batch of numbers goes on until it is let go. */
function started(outcomeOf: (numbers: readonly number[]) => Error | undefined = () => undefined) {
  const batches: number[][] = [];
  const going: (() => void)[] = [];
  const add = inBatches<number>({
    maxSize: 3,
    async handle(numbers) {
      batches.push([...numbers]);
      await new Promise<void>((resolve) => going.push(resolve));
      const failure = outcomeOf(numbers);
      if (failure) throw failure;
    },
  });
  const letGo = async () => {
    for (let turns = 0; turns < 50; turns += 1) {
      for (const go of going.splice(0)) go();
      await new Promise(setImmediate);
    }
  };
  return { add, batches, letGo };
}

describe('items in batches', () => {
  it('wait for none to come, and what comes meanwhile is handled together, up to a size', async () => {
    const { add, batches, letGo } = started();
    const all = Promise.all([1, 2, 3, 4, 5].map((number) => add(number)));
    expect(batches).toEqual([[1]]);
    await letGo();
    await all;
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('fail by themselves: the others of their batch are handled', async () => {
    const { add, letGo } = started((numbers) => (numbers.includes(3) ? new Error('three') : undefined));
    const outcomes = Promise.allSettled([1, 2, 3, 4].map((number) => add(number)));
    await letGo();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('fail together when something is away', async () => {
    const { add, batches, letGo } = started((numbers) =>
      numbers.length > 1 ? unavailable(new Error('away')) : undefined,
    );
    const outcomes = Promise.allSettled([1, 2, 3].map((number) => add(number)));
    await letGo();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('come of the request of the one that is handled, and of none where several are', async () => {
    const handled: [readonly number[], string | undefined][] = [];
    const add = inBatches<number>({
      maxSize: 2,
      async handle(numbers) {
        await new Promise(setImmediate);
        handled.push([numbers, presentRequestId()]);
        if (numbers.length > 1 && numbers.includes(3)) throw new Error('not together');
      },
    });
    await Promise.all([1, 2, 3, 4].map((number) => inRequest(`r${number}`, () => add(number))));
    expect(handled).toEqual([
      [[1], 'r1'],
      [[2, 3], undefined],
      [[2], 'r2'],
      [[3], 'r3'],
      [[4], 'r4'],
    ]);
  });
});
