import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { credentialLimitReached } from '../errors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { delayedRefusals } from './delayed-refusals.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** So many milliseconds, and all that they set off. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

const error = credentialLimitReached({ retryAfterSeconds: 1 });

/** An exchange, and whether it was refused. */
function refusedBy(delay: ReturnType<typeof delayedRefusals>) {
  const exchange = { headers: [] as string[], response: new EventEmitter() } as unknown as Exchange;
  const refusal = { exchange, told: undefined as unknown };
  void delay(exchange, error).catch((reason: unknown) => {
    refusal.told = reason;
  });
  return refusal;
}

describe('refusals of whoever comes too often', () => {
  it.each([
    { random: 0, ms: 125 },
    { random: 1, ms: 375 },
  ])('are told after a while that is not the same for all: $ms ms', async ({ random, ms }) => {
    const refusal = refusedBy(delayedRefusals({ delayMs: 250, maxHeld: 10, random: () => random }));
    await pass(ms - 1);
    expect(refusal.told).toBeUndefined();
    await pass(1);
    expect(refusal.told).toBe(error);
    expect(refusal.exchange.headers).toEqual([]);
  });

  it('are told at once where too many are held, on a connection that ends with them', async () => {
    const delay = delayedRefusals({ delayMs: 250, maxHeld: 1 });
    refusedBy(delay);
    const second = refusedBy(delay);
    await pass(0);
    expect(second.told).toBe(error);
    expect(second.exchange.headers).toEqual(['Connection', 'close']);
  });

  it('are held no longer for a client that has gone away', async () => {
    const delay = delayedRefusals({ delayMs: 250, maxHeld: 1 });
    const first = refusedBy(delay);
    (first.exchange.response as unknown as EventEmitter).emit('close');
    const second = refusedBy(delay);
    await pass(0);
    expect([first.told, second.told]).toEqual([error, undefined]);
    expect(jest.getTimerCount()).toBe(1);
  });
});
