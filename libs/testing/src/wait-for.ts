import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds until the wait gives up: no promise about speed, only the end of a wait in vain. */
  readonly timeout?: number;
  /** Milliseconds between two looks; by default few at first, and more the longer it takes, so that waiting is no work. */
  readonly interval?: number;
  /** What is waited for; named in the error. */
  readonly what?: string;
}

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/**
 * Looks again and again until `condition` returns something truthy, and returns that. A condition that
 * throws is not met yet. Giving up rejects with the last error as its cause.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions = {}): Promise<NonNullable<T>> {
  const { timeout = 240_000, interval, what = 'the condition' } = options;
  let pause = interval ?? SHORTEST_PAUSE_MS;
  const deadline = performance.now() + timeout;
  for (;;) {
    let cause: unknown;
    try {
      const result = await condition();
      if (result) return result;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${String(timeout)} ms in vain for ${what}`, cause === undefined ? {} : { cause });
    }
    await delay(pause);
    if (interval === undefined) pause = Math.min(pause * 1.3, LONGEST_PAUSE_MS);
  }
}

/**
 * Asks again and again until it is refused, and answers when the last question had been asked that was not: a moment of
 * `performance.now()` that a busy machine makes no later.
 */
export async function lastPass(isRefused: () => Promise<boolean>, options: WaitOptions = {}): Promise<number> {
  let passedAt = -Infinity;
  await waitFor(
    async () => {
      const askedAt = performance.now();
      const refused = await isRefused();
      if (!refused) passedAt = askedAt;
      return refused;
    },
    { what: 'the refusal', interval: 10, ...options },
  );
  return passedAt;
}
