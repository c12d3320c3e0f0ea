/** Where time comes from. Passed in wherever time matters, so that tests decide what time it is. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds since some moment, whatever anybody sets the clock to: for what is done again after a while. */
export type ElapsedMs = () => number;

export const monotonicMs: ElapsedMs = () => performance.now();

export interface FixedClock extends Clock {
  /** Moves time forward by `ms` milliseconds, or back when negative. */
  advance(ms: number): void;
  set(time: Date | string): void;
}

/** A clock that stands still until told otherwise. */
export function fixedClock(start: Date | string = '2026-01-01T00:00:00.000Z'): FixedClock {
  let time = new Date(start).getTime();
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
    set: (to) => {
      time = new Date(to).getTime();
    },
  };
}
