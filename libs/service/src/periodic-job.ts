import { quietly, type Activity, type Logger } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningJob {
  /** Has the work done now, and once more if it is being done. */
  wake(): void;
  /** Tells the work that it shall end, and waits for that. */
  stop(): Promise<void>;
}

export interface PeriodicJob {
  /** For the log: `the sweep of shelves`. */
  readonly name: string;
  readonly everyMs: number;
  /** A number above 0 says that it has found so much to do, from which there may be more for other work. */
  readonly run: (stopping: AbortSignal) => Promise<unknown>;
  /**
   * In how many milliseconds something will be due of which it is known already; undefined: nothing will. Without it what becomes due
   * while nothing else happens is found `REST_MS` later at most.
   */
  readonly untilDueMs?: () => Promise<number | undefined>;
}

/** For a job that never rests: what it looks at is in the memory of this process. */
export const always = (): Promise<number> => Promise.resolve(0);

/** How often work is looked for while nothing happens, in milliseconds: a replica may have died that should have told of some. */
export const REST_MS = 30_000;

export interface Repeating {
  readonly logger: Logger;
  /** Work rests while nothing happens. Without it, it never does. */
  readonly activity?: Activity;
  readonly restMs?: number;
}

/**
 * Does the work again and again, never twice at the same time, and sooner where somebody says that there is some. Where nothing
 * happens it rests until something does, until what it knows of is due, or for `REST_MS`. A failure is logged, and the next time comes
 * all the same.
 */
export function repeat(job: PeriodicJob, { logger, activity, restMs = REST_MS }: Repeating): RunningJob {
  const { name: what, everyMs, run: work, untilDueMs } = job;
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let woken = new AbortController();

  const attempt = async <T>(run: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await quietly(run);
    } catch (error) {
      if (!isStopped())
        logger.warn({ event: 'periodic_job.failed', err: error }, `${what} failed, it will be tried again`);
      return undefined;
    }
  };
  const pause = (ms: number, ...ends: AbortSignal[]): Promise<void> =>
    delay(ms, undefined, { signal: AbortSignal.any([stopping.signal, woken.signal, ...ends]) }).catch(() => undefined);

  /** Until something happens; no later than `restMs`, and no sooner than the job would come anyway. */
  async function rest({ next, isLively }: Activity, leastMs: number): Promise<void> {
    const roused = next();
    const dueMs = untilDueMs && (await attempt(untilDueMs));
    // What has happened meanwhile may have come too late for the work that was done last.
    if (isLively()) return pause(leastMs);
    const begunAt = performance.now();
    await pause(Math.max(leastMs, Math.min(restMs * spread(), dueMs ?? restMs)), roused);
    const earlyMs = leastMs - (performance.now() - begunAt);
    if (roused.aborted && earlyMs > 0) await pause(earlyMs);
  }

  const done = (async () => {
    while (!isStopped()) {
      woken = new AbortController();
      const found = await attempt(() => work(stopping.signal));
      if (typeof found === 'number' && found > 0) activity?.happened();
      const leastMs = everyMs * spread();
      if (activity && everyMs < restMs && !activity.isLively()) await rest(activity, leastMs);
      else await pause(leastMs);
    }
  })();
  return {
    wake: () => woken.abort(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Replicas that were started together shall not stay in step. */
const spread = (): number => 0.8 + Math.random() * 0.2;
