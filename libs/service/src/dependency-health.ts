import { monotonicMs, outsideOfCalls, type ElapsedMs } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';

/** An answer counts for so long, in milliseconds: however many ask, the dependency is asked once a second at most. */
const KEPT_MS = 1_000;
/** What takes longer is not there, in milliseconds. */
const LIMIT_MS = 2_000;

export interface DependencyHealth {
  /** Whether what this process cannot do without answers. Never rejects, and takes 2 s at most. */
  isUp(): Promise<boolean>;
}

export interface DependencyHealthOptions {
  /** Resolves when the dependency answers. */
  readonly ping: () => Promise<unknown>;
  readonly elapsedMs?: ElapsedMs;
  readonly limitMs?: number;
}

/** One question is under way at a time: a dependency that hangs is not given a second one to hang on. */
export function dependencyHealth({
  ping,
  elapsedMs = monotonicMs,
  limitMs = LIMIT_MS,
}: DependencyHealthOptions): DependencyHealth {
  let asking: Promise<boolean> | undefined;
  let known: { readonly isUp: boolean; readonly until: number } | undefined;

  const ask = (): Promise<boolean> =>
    (asking ??= outsideOfCalls(ping)
      .then(
        () => true,
        () => false,
      )
      .then((isUp) => {
        asking = undefined;
        known = { isUp, until: elapsedMs() + KEPT_MS };
        return isUp;
      }));

  return {
    async isUp() {
      if (known && elapsedMs() < known.until) return known.isUp;
      const done = new AbortController();
      const tooLong = delay(limitMs, false, { signal: done.signal }).catch(() => false);
      try {
        return await Promise.race([ask(), tooLong]);
      } finally {
        done.abort();
      }
    },
  };
}
