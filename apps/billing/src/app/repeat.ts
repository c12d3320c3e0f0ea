import type { Logger } from '@platform/core';
import { setTimeout as delay } from 'node:timers/promises';

export interface Repetition {
  /** Lets the work in hand end. */
  stop(): Promise<void>;
}

export interface Repeated {
  /** For the log: `the sweep of credits`. */
  readonly what: string;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly logger: Logger;
}

/** Does the work again and again, never twice at the same time. A failure is logged, and the next time comes all the same. */
export function repeat({ what, everyMs, work, logger }: Repeated): Repetition {
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => logger.warn({ err: error }, `${what} failed, it will be tried again`));
      // Replicas that were started together shall not stay in step.
      const pause = everyMs * (0.8 + Math.random() * 0.2);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
