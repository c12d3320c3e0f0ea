import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { callSemaphore, type CallOwner, type CallSlot } from './call-semaphore.ts';

const OPTIONS = { maxCalls: 3, holdMs: 20, aloneAfterMs: 1_000 };
const ada: CallOwner = { organisation: 'one', credential: 'ada' };
const key: CallOwner = { organisation: 'one', credential: 'key' };
const bob: CallOwner = { organisation: 'two', credential: 'bob' };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('slots of the calls to a service', () => {
  /** Takes a slot; what began is told in its order. */
  const begun: string[] = [];
  const take = (
    semaphore: ReturnType<typeof callSemaphore>,
    owner: CallOwner,
    name: string = owner.credential,
  ): CallSlot => semaphore.take(owner, () => begun.push(name));
  beforeEach(() => void begun.splice(0));

  it('are nobody’s who is alone', () => {
    const semaphore = callSemaphore(OPTIONS);
    for (let n = 0; n < 100; n += 1) take(semaphore, ada);
    expect(begun).toHaveLength(100);
  });

  it('let an organisation wait behind itself as soon as somebody else calls, and no longer than that', () => {
    const semaphore = callSemaphore(OPTIONS);
    take(semaphore, bob).end();
    const calls = Array.from({ length: 10 }, () => take(semaphore, ada));
    expect(begun).toEqual(['bob', 'ada', 'ada', 'ada']);
    take(semaphore, bob);
    expect(begun.at(-1)).toBe('bob');
    calls[0]?.end();
    expect(begun.slice(5)).toEqual(['ada']);
    jest.advanceTimersByTime(OPTIONS.aloneAfterMs);
    begun.splice(0);
    for (let n = 0; n < 10; n += 1) take(semaphore, bob);
    expect(begun).toHaveLength(10);
  });

  it('go round the credentials of an organisation', () => {
    const semaphore = callSemaphore(OPTIONS);
    take(semaphore, bob);
    const calls = Array.from({ length: 6 }, () => take(semaphore, ada));
    calls.push(...Array.from({ length: 3 }, () => take(semaphore, key)));
    begun.splice(0);
    for (const call of calls) call.end();
    expect(begun).toEqual(['ada', 'key', 'ada', 'key', 'ada', 'key']);
  });

  it('are not kept by calls that last long, nor by those that are given up', () => {
    const semaphore = callSemaphore(OPTIONS);
    take(semaphore, bob);
    for (let n = 0; n < 5; n += 1) take(semaphore, ada, 'long');
    take(semaphore, ada, 'given up').end();
    take(semaphore, ada, 'next');
    expect(begun.filter((name) => name !== 'bob')).toEqual(['long', 'long', 'long']);
    jest.advanceTimersByTime(OPTIONS.holdMs);
    expect(begun.filter((name) => name !== 'bob')).toEqual(['long', 'long', 'long', 'long', 'long', 'next']);
    expect(semaphore.waiting).toBe(0);
  });

  it('pass quickly where the service refuses each call as it begins', () => {
    const semaphore = callSemaphore(OPTIONS);
    take(semaphore, bob);
    const first = Array.from({ length: OPTIONS.maxCalls }, () => take(semaphore, ada));
    let refused = 0;
    for (let n = 0; n < 20_000; n += 1)
      semaphore.take(ada, (slot) => {
        refused += 1;
        slot.end();
      });
    for (const call of first) call.end();
    expect(refused).toBe(20_000);
  });

  it('are fair whoever calls however often and however long', () => {
    const call = fc.record({
      organisation: fc.nat(2),
      credential: fc.nat(2),
      after: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 15 })),
      lasts: fc.integer({ min: 0, max: 60 }),
      /** Its client goes after so long, waiting or not. */
      leaves: fc.option(fc.integer({ min: 0, max: 60 })),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 80 }), (calls) => {
        const semaphore = callSemaphore({ ...OPTIONS, aloneAfterMs: Infinity });
        // Never alone.
        semaphore.take({ organisation: 'x', credential: 'x' }, () => undefined).end();
        type State = {
          organisation: string;
          credential: string;
          arrivedAt: number;
          begunAt?: number;
          endedAt?: number;
        };
        const states: State[] = [];
        const young = (name: string, at: number): number =>
          states.filter(
            ({ organisation, begunAt, endedAt }) =>
              organisation === name && begunAt !== undefined && endedAt === undefined && begunAt + OPTIONS.holdMs > at,
          ).length;
        for (const { organisation, credential, after, lasts, leaves } of calls) {
          if (after > 0) jest.advanceTimersByTime(after);
          const [name, at] = [`o${organisation}`, performance.now()];
          const state: State = { organisation: name, credential: `${name} c${credential}`, arrivedAt: at };
          const end = (slot: CallSlot): void => {
            state.endedAt ??= performance.now();
            slot.end();
          };
          const mayBegin =
            young(name, at) < OPTIONS.maxCalls &&
            !states.some(
              (each) => each.organisation === name && each.begunAt === undefined && each.endedAt === undefined,
            );
          states.push(state);
          const slot = semaphore.take(state, (own) => {
            // Never more than its share, and nothing that was given up.
            expect(young(name, performance.now())).toBeLessThan(OPTIONS.maxCalls);
            expect(state.endedAt).toBeUndefined();
            state.begunAt = performance.now();
            setTimeout(end, lasts, own);
          });
          if (leaves !== null) setTimeout(end, leaves, slot);
          // Nobody waits for others than those of the same organisation.
          expect(state.begunAt === at).toBe(mayBegin);
        }
        jest.advanceTimersByTime(60_000);
        expect(semaphore.waiting).toBe(0);
        for (const state of states) expect(state.endedAt).toBeDefined();
        const inOrder = states.filter(({ begunAt }) => begunAt !== undefined);
        for (const [index, { organisation, credential, arrivedAt, begunAt = 0 }] of inOrder.entries()) {
          // One credential's calls begin in the order of their coming.
          const later = inOrder.slice(index + 1).find((each) => each.credential === credential);
          expect(later?.begunAt ?? Infinity).toBeGreaterThanOrEqual(begunAt);
          // It waits only as long as all those of its organisation before it may, three at a time.
          const before = states.filter((each) => each.organisation === organisation && each.arrivedAt <= begunAt);
          expect(begunAt - arrivedAt).toBeLessThanOrEqual(Math.ceil(before.length / OPTIONS.maxCalls) * OPTIONS.holdMs);
        }
      }),
      { numRuns: 200 },
    );
  });
});
