import { fairSemaphore, unavailable, type DomainError } from '@platform-backend/core';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { MeasuredTask } from './measured-task.ts';

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
  /**
   * Of processor time, in milliseconds, in place of `taskTimeoutMs` as the limit of a task: on a machine with much to do one takes longer
   * and is no worse for that. Whatever takes longer than `taskTimeoutMs` all the same is UNAVAILABLE.
   */
  readonly taskCpuMs?: number | undefined;
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
  taskCpuMs,
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
  const pool = new Piscina<Task | MeasuredTask<Task>, Result>({
    filename: taskCpuMs === undefined ? worker.href : new URL('measured-task.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
  });
  // A thread may reach its limit of memory while it is being ended for its time: whoever asked has heard why, and nobody else needs to.
  pool.on('error', (error: Error) => {
    if (!isTooMuch(error)) process.emitWarning(error);
  });
  const stopping = new AbortController();

  async function work(task: Task): Promise<Result> {
    const timeout = AbortSignal.timeout(taskTimeoutMs);
    if (taskCpuMs !== undefined) return measured(task, taskCpuMs, timeout);
    try {
      return await pool.run(task, { signal: timeout });
    } catch (error) {
      if (stopping.signal.aborted) throw unavailable(error);
      throw limitError && (timeout.aborted || isTooMuch(error)) ? limitError() : error;
    }
  }

  async function measured(task: Task, maxCpuMs: number, timeout: AbortSignal): Promise<Result> {
    const board = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
    const limit = new AbortController();
    const watch = setInterval(() => {
      void usedMs(pool.threads, board).then((used) => {
        if (used > maxCpuMs) limit.abort();
      });
    }, CPU_POLL_MS);
    try {
      const given: MeasuredTask<Task> = { work: worker.href, task, board };
      return await pool.run(given, { signal: AbortSignal.any([timeout, limit.signal]) });
    } catch (error) {
      if (stopping.signal.aborted) throw unavailable(error);
      const isLimit = limit.signal.aborted || isTooMuch(error);
      if (timeout.aborted && !isLimit) throw unavailable(error);
      throw limitError && isLimit ? limitError() : error;
    } finally {
      clearInterval(watch);
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

/** How often it is asked what a task has used. */
const CPU_POLL_MS = 100;

/** What the thread has used since it began the task; 0 where none has begun it, or it has ended. */
async function usedMs(threads: readonly Worker[], board: BigInt64Array): Promise<number> {
  const id = Number(Atomics.load(board, 0));
  const thread = threads.find(({ threadId }) => threadId === id);
  if (!thread) return 0;
  // One that is ending says nothing.
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system - Number(Atomics.load(board, 1))) / 1000;
}

/** Memory, or calls in each other. */
function isTooMuch(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || message.includes('call stack');
}
