import { fairSemaphore, type FairTurns } from './fair-semaphore.ts';
import type { Metrics } from './metrics.ts';

/** Callers that wait for a connection at most, of one party and in all; each is a request held in memory. */
const MAX_WAITING = 1_000;
const MAX_WAITING_IN_ALL = 5_000;

export interface PoolLimits {
  /** Connections of the pool. */
  readonly places: number;
  /** Of these, most for one organisation at a time; a quarter unless given. */
  readonly share?: number | undefined;
  /** Milliseconds that one waits at most. */
  readonly timeoutMs: number;
  /** Shows how much of the pool is used, under this name. */
  readonly shown?: { readonly metrics: Metrics; readonly pool: string } | undefined;
}

/** Turns at the connections of a database, of which the last fifth is for work without an organisation. */
export function poolTurns({ places, share, timeoutMs, shown }: PoolLimits): FairTurns {
  const turns = fairSemaphore({
    places,
    keptForSystem: places < 2 ? 0 : Math.max(1, Math.floor(places / 5)),
    share: share ?? Math.max(2, Math.ceil(places / 4)),
    maxWaiting: MAX_WAITING,
    maxWaitingInAll: MAX_WAITING_IN_ALL,
    timeoutMs,
  });
  if (shown) show(turns, places, shown);
  return turns;
}

function show(turns: FairTurns, places: number, { metrics, pool }: NonNullable<PoolLimits['shown']>): void {
  const observe = (name: string, help: string, read: () => number): void =>
    metrics.observe(`database_pool_${name}`, help, read, { pool });
  observe('connections', 'Connections that the pool may open.', () => places);
  observe('connections_in_use', 'Those that are in use.', () => turns.taken);
  observe('waiting', 'Callers that wait for one.', () => turns.waiting);
}
