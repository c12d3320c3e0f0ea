import { setTimeout as delay } from 'node:timers/promises';

/** Waits for `ms` milliseconds, or until the signal is aborted, whichever comes first. Never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** Doubles from `first` with every failure up to `longest`, with a spread so that replicas do not return together. */
export function backoffMs(failures: number, first = 100, longest = 10_000): number {
  const full = Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
  return full * (0.75 + Math.random() * 0.25);
}

/** Asks anew after an await; the compiler would take the answer from before for granted. */
export const isAborted = (signal: AbortSignal): boolean => signal.aborted;
