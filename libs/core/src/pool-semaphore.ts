import { fairSemaphore, type FairSemaphore } from './fair-semaphore.ts';
import type { Metrics } from './metrics.ts';

/** Callers that wait for a connection at most, of one tenant and in all; each is a request held in memory. */
const MAX_WAITING = 1_000;
const MAX_WAITING_IN_ALL = 5_000;

/** How a service shares the connections of its database. */
export interface PoolOptions {
  /** Shows how much of the pool is used. */
  metrics?: Metrics;
  /** Upper limit of open connections; all replicas together must stay below the server's limit. */
  poolMax?: number;
  /**
   * Upper limit of the connections of one organisation at a time, a quarter of the pool unless given: what it waits for
   * stops nobody else. The last fifth of the pool is for work without an organisation.
   */
  share?: number | undefined;
  /** How long a caller waits for its turn, and for a server that can be reached, before it hears `unavailable`. */
  acquireTimeoutMs?: number;
}

export interface PoolLimits {
  /** Connections of the pool. */
  readonly connections: number;
  /** Of these, most for one organisation at a time; a quarter unless given. */
  readonly share?: number | undefined;
  /** Milliseconds that one waits at most. */
  readonly timeoutMs: number;
  /** Shows how much of the pool is used, under this name. */
  readonly shown?: { readonly metrics: Metrics; readonly pool: string } | undefined;
}

/** Hands out the connections of a database, of which the last fifth is for work without an organisation. */
export function poolSemaphore({ connections, share, timeoutMs, shown }: PoolLimits): FairSemaphore {
  const semaphore = fairSemaphore({
    slots: connections,
    keptForSystem: connections < 2 ? 0 : Math.max(1, Math.floor(connections / 5)),
    share: share ?? Math.max(2, Math.ceil(connections / 4)),
    maxWaiting: MAX_WAITING,
    maxWaitingInAll: MAX_WAITING_IN_ALL,
    timeoutMs,
  });
  if (shown) show(semaphore, connections, shown);
  return semaphore;
}

function show(
  semaphore: FairSemaphore,
  connections: number,
  { metrics, pool }: NonNullable<PoolLimits['shown']>,
): void {
  const observe = (name: string, help: string, read: () => number): void =>
    metrics.observe(`database_pool_${name}`, help, read, { pool });
  observe('connections', 'Connections that the pool may open.', () => connections);
  observe('connections_in_use', 'Those that are in use.', () => semaphore.taken);
  observe('waiting', 'Callers that wait for one.', () => semaphore.waiting);
}
