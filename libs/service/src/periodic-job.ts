import type { Logger } from '@platform-backend/core';
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
  readonly run: (stopping: AbortSignal) => Promise<unknown>;
}

/**
 * Does the work again and again, never twice at the same time, and sooner where somebody says that there is some. A
 * failure is logged, and the next time comes all the same.
 */
export function repeat({ name: what, everyMs, run: work }: PeriodicJob, logger: Logger): RunningJob {
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  let woken: AbortController | undefined;
  const done = (async () => {
    while (!isStopped()) {
      woken = new AbortController();
      try {
        await work(stopping.signal);
      } catch (error) {
        if (!isStopped())
          logger.warn({ event: 'periodic_job.failed', err: error }, `${what} failed, it will be tried again`);
      }
      // Replicas that were started together shall not stay in step.
      const pause = everyMs * (0.8 + Math.random() * 0.2);
      const signal = AbortSignal.any([stopping.signal, woken.signal]);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    wake: () => woken?.abort(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
