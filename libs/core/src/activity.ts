import { AsyncLocalStorage } from 'node:async_hooks';

/** So long after something has happened more may follow from it that nobody tells of, in milliseconds. */
const LIVELY_MS = 60_000;

/** Whether anything happens to the data of a process, for those who would look for work again and again otherwise. */
export interface Activity {
  /** Something has happened, here or in another process. */
  readonly happened: () => void;
  /** Something was written here: it has happened, unless it was written `quietly`. */
  readonly written: () => void;
  /** Whether something has happened lately: then whoever looks for work goes on looking. */
  readonly isLively: () => boolean;
  /** Aborted when something happens. */
  readonly next: () => AbortSignal;
}

const quiet = new AsyncLocalStorage<true>();

/**
 * Runs work whose writing is no news: signs of life, and looks for work, which often write nothing. Should it find some, it says so.
 */
export const quietly = <T>(work: () => T): T => quiet.run(true, work);

/** It begins lively: what was left behind by whoever ran before may become due soon. */
export function trackActivity(elapsedMs: () => number = () => performance.now()): Activity {
  let livelyUntil = elapsedMs() + LIVELY_MS;
  let next = new AbortController();
  let isAwaited = false;
  const happened = (): void => {
    livelyUntil = elapsedMs() + LIVELY_MS;
    // There may be one for every change, and hardly ever somebody who rests.
    if (!isAwaited) return;
    const roused = next;
    [next, isAwaited] = [new AbortController(), false];
    roused.abort();
  };
  return {
    happened,
    written() {
      if (!quiet.getStore()) happened();
    },
    isLively: () => elapsedMs() < livelyUntil,
    next() {
      isAwaited = true;
      return next.signal;
    },
  };
}
