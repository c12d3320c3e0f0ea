/** Whether this process may say of others that their leases have run out. */
export interface LeaseJudge {
  /** This process has renewed what it holds itself, just now. */
  readonly renewed: () => void;
  readonly mayJudge: () => boolean;
}

/**
 * A process may judge when it has renewed its own leases without a break for as long as a lease lasts. After an outage of the
 * database, or a standstill of its own, it finds the leases of all others run out, and none of them is gone for that: it first
 * gives them the time to renew theirs. `now` in milliseconds, of a clock that only goes on.
 */
export function leaseJudge(leaseMs: number, now: () => number = () => performance.now()): LeaseJudge {
  // Others renew at other times: their leases may run out in a break that leaves this process its own.
  const breakMs = leaseMs / 2;
  let since = Infinity;
  let latest = -Infinity;
  return {
    renewed() {
      const at = now();
      if (at - latest > breakMs) since = at;
      latest = at;
    },
    mayJudge: () => now() - latest <= breakMs && now() - since >= leaseMs,
  };
}
