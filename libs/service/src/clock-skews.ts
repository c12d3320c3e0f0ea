import { monotonicMs, type ElapsedMs } from '@platform-backend/core';

/** For how long what was seen counts at least, in milliseconds, and at most twice as long. */
const WINDOW_MS = 5 * 60_000;

export interface ClockSkews {
  /** Takes note of by how many seconds the clock of a service seemed to be ahead. */
  seen(this: void, service: string, aheadSeconds: number): void;
  /** By how many seconds the clock of a service is ahead, behind where it is negative; undefined where it was not heard of lately. */
  of(service: string): number | undefined;
}

/**
 * By how much clocks of others differ from ours. What they have signed arrives late, and never early: of all that was seen in some
 * minutes, what looks least behind is nearest to the truth.
 */
export function clockSkews(elapsedMs: ElapsedMs = monotonicMs): ClockSkews {
  let [earlier, present] = [new Map<string, number>(), new Map<string, number>()];
  let turnAt = elapsedMs() + WINDOW_MS;
  const turn = (): void => {
    for (; elapsedMs() >= turnAt; turnAt += WINDOW_MS) [earlier, present] = [present, new Map<string, number>()];
  };
  return {
    seen: (service, aheadSeconds) => {
      turn();
      present.set(service, Math.max(aheadSeconds, present.get(service) ?? -Infinity));
    },
    of: (service) => {
      turn();
      const [one, other] = [earlier.get(service), present.get(service)];
      return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
    },
  };
}
