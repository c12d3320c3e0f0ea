import { fairSemaphore, unavailable, type DomainError } from '@platform-backend/core';
import { Piscina } from 'piscina';

export interface WorkerPoolOptions {
  /** A module whose default export does one task. */
  readonly worker: URL;
  /** How many tasks are done at once, 1 unless given; one organisation leaves a thread to the others where there are more. */
  readonly threads?: number;
  /** How many may wait, of one organisation and in all. */
  readonly maxWaitingOfOne: number;
  readonly maxWaiting: number;
  /** How long a task waits for a thread at most, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** What a task may take in its thread, in milliseconds; then the thread is ended, so that nobody else waits for it. */
  readonly taskTimeoutMs: number;
  /** Of JavaScript's heap in each thread. */
  readonly maxMemoryMb: number;
  /** What is said of a task that takes more time, memory or depth than it may. Unless given, that is a defect of ours. */
  readonly limitError?: () => DomainError;
}

export interface WorkerPool<Task, Result> {
  /** UNAVAILABLE: too many wait already, of the organisation or in all, or the service stops. */
  readonly run: (organisationId: string, task: Task) => Promise<Result>;
  /** Ends the threads; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

const IDLE_TIMEOUT_MS = 30_000;

/**
 * Node ends a thread that reaches its limit, and lets the collection of garbage that is under way have 16 MB more; beyond these V8
 * ends the whole process. What one collection can move from young to old objects is kept well below that.
 */
const MAX_YOUNG_GENERATION_MB = 12;

/**
 * Work that takes long, in threads of its own: the service goes on answering meanwhile. The organisations take turns. The
 * threads are there only while they are needed.
 */
export function workerPool<Task, Result>({
  worker,
  threads = 1,
  maxWaitingOfOne,
  maxWaiting,
  waitTimeoutMs,
  taskTimeoutMs,
  maxMemoryMb,
  limitError,
}: WorkerPoolOptions): WorkerPool<Task, Result> {
  const semaphore = fairSemaphore({
    slots: threads,
    share: Math.max(1, threads - 1),
    maxWaiting: maxWaitingOfOne,
    maxWaitingInAll: maxWaiting,
    timeoutMs: waitTimeoutMs,
  });
  const pool = new Piscina<Task, Result>({
    filename: worker.href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
  });
  const stopping = new AbortController();

  async function work(task: Task): Promise<Result> {
    const timeout = AbortSignal.timeout(taskTimeoutMs);
    try {
      return await pool.run(task, { signal: timeout });
    } catch (error) {
      if (stopping.signal.aborted) throw unavailable(error);
      throw limitError && (timeout.aborted || isTooMuch(error)) ? limitError() : error;
    }
  }

  return {
    run: async (organisationId, task) => {
      if (stopping.signal.aborted) throw unavailable(new Error('the service stops'));
      return semaphore.run('tenants', organisationId, () => work(task));
    },
    close: async () => {
      stopping.abort();
      await pool.destroy();
    },
  };
}

/** Memory, or calls in each other. */
function isTooMuch(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || message.includes('call stack');
}
