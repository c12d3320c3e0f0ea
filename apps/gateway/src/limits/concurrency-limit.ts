export interface ConcurrencyLimitOptions {
  /** Calls that wait for a service at once, of all organisations together. */
  readonly maxCalls: number;
  /** Milliseconds that the event loop may be late before fewer are let in. */
  readonly maxLagMs: number;
}

/**
 * How many calls are let in at once: as many as `maxCalls`, and fewer for as long as the process is too slow for those that it has. Every
 * organisation that has calls under way gets the same share as soon as half of the limit is taken, so whoever sends a flood is refused
 * before anybody else is.
 */
export interface ConcurrencyLimit {
  /** Counts a call of an organisation, or of somebody without one; false: the process has too many, and nothing was counted. */
  enter(holder: string | undefined): boolean;
  /** Once for each call that entered. */
  leave(holder: string | undefined): void;
  /** Told how late the event loop is, again and again while calls are under way: halves the limit, or raises it by a tenth. */
  observeLag(lagMs: number): void;
  readonly inFlight: number;
  /** How many may be under way now. */
  readonly limit: number;
}

/** However late the loop is, so many are let in: enough to see when it has recovered. */
const MIN_CALLS = 16;
/** Of the limit: beyond it an organisation that has nothing under way is still let in. */
const RESERVE = 1.25;

export function concurrencyLimit({ maxCalls, maxLagMs }: ConcurrencyLimitOptions): ConcurrencyLimit {
  const calls = new Map<string, number>();
  let inFlight = 0;
  let limit = maxCalls;

  const mayEnter = (own: number): boolean => {
    if (inFlight < limit / 2) return true;
    if (own === 0) return inFlight < limit * RESERVE;
    return inFlight < limit && own < limit / (2 * calls.size);
  };

  return {
    enter(holder = '') {
      const own = calls.get(holder) ?? 0;
      if (!mayEnter(own)) return false;
      calls.set(holder, own + 1);
      inFlight += 1;
      return true;
    },
    leave(holder = '') {
      const own = calls.get(holder) ?? 0;
      if (own > 1) calls.set(holder, own - 1);
      else calls.delete(holder);
      inFlight -= 1;
    },
    observeLag(lagMs) {
      if (lagMs > maxLagMs) limit = Math.max(Math.min(MIN_CALLS, maxCalls), Math.floor(Math.min(limit, inFlight) / 2));
      else limit = Math.min(maxCalls, Math.ceil(limit * 1.1));
    },
    get inFlight() {
      return inFlight;
    },
    get limit() {
      return limit;
    },
  };
}
