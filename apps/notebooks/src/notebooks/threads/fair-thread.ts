import { fairSemaphore, unavailable, type DomainError } from '@platform-backend/core';
import { Piscina } from 'piscina';

export interface FairThreadOptions {
  /** A module whose default export does one task. */
  readonly worker: URL;
  /** How many may wait, of one organisation and in all. */
  readonly mayWaitOfOne: number;
  readonly mayWait: number;
  /** How long one waits at most, in milliseconds. */
  readonly timeoutMs: number;
  /** What one task may take, in milliseconds; then it is ended, so that nobody else waits for it. */
  readonly limitMs: number;
  /** What is said of a task that takes more time or memory than it may. */
  readonly tooMuch: () => DomainError;
}

export interface FairThread<Task, Result> {
  /** UNAVAILABLE: too many wait already, of the organisation or in all, or the service stops. */
  readonly run: (organisationId: string, task: Task) => Promise<Result>;
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

const MAX_MEMORY_MB = 1_024;

/**
 * Work that takes long, one task after the other in a thread of their own: the service goes on answering meanwhile. The
 * organisations take turns. The thread is there only while it is needed.
 */
export function fairThread<Task, Result>({
  worker,
  mayWaitOfOne,
  mayWait,
  timeoutMs,
  limitMs,
  tooMuch,
}: FairThreadOptions): FairThread<Task, Result> {
  const turns = fairSemaphore({
    places: 1,
    share: 1,
    maxWaiting: mayWaitOfOne,
    maxWaitingInAll: mayWait,
    timeoutMs,
  });
  const pool = new Piscina<Task, Result>({
    filename: worker.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  let closed = false;
  const stopped = () => closed;

  const work = async (task: Task): Promise<Result> => {
    const signal = AbortSignal.timeout(limitMs);
    try {
      return await pool.run(task, { signal });
    } catch (error) {
      if (stopped()) throw unavailable(error);
      throw signal.aborted || isOutOfMemory(error) ? tooMuch() : error;
    }
  };

  return {
    run: (organisationId, task) => turns.inTurn('tenants', organisationId, () => work(task)),
    close: async () => {
      closed = true;
      await pool.destroy();
    },
  };
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
