import { deadlineExceeded, unavailable, upstreamFailed, type Logger } from '@platform-backend/core';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface ModelProcessOptions {
  /** The module that the process runs; it calls `serveTasks`. */
  readonly module: URL;
  /** What the module is told at its start, as JSON. */
  readonly options: unknown;
  /** Most processes at once. Whoever runs more tasks than that at a time has made a mistake. */
  readonly processes: number;
  /** Longest time for one task, loading the model included; after that the process is killed. */
  readonly timeoutMs: number;
  /** A process without work is ended after so long. */
  readonly idleMs: number;
  /** One that holds more memory than this after a task is ended, and the next task begins with a new one. */
  readonly memoryMiB: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What the process says after each task, with the memory that it holds, in bytes. */
export type TaskAnswer<Answer> = { readonly answer: Answer; readonly rss: number } | { readonly failure: string };

export interface ModelProcess<Task, Answer> {
  /**
   * UPSTREAM_FAILED: the model could not do it, or died of it; DEADLINE_EXCEEDED: it took too long; UNAVAILABLE: nobody
   * waits for it any more, or the service stops. The process is gone then, and the next task has a new one.
   */
  run(task: Task, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

interface Worker {
  readonly child: ChildProcess;
  /** The end of what it wrote to its standard error, to be told when it dies. */
  lastWords: string;
  idleTimer?: NodeJS.Timeout;
}

/**
 * A model in processes of its own: what it computes blocks nobody, and what kills it is an error of one task. A process
 * starts with the first task that finds none free.
 */
export function modelProcess<Task, Answer>({
  module,
  options,
  processes,
  timeoutMs,
  idleMs,
  memoryMiB,
  logger,
}: ModelProcessOptions): ModelProcess<Task, Answer> {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let closed = false;

  function start(): Worker {
    if (all.size >= processes) throw new Error(`more than ${processes} tasks at once`);
    const child = fork(module, [JSON.stringify(options)], {
      // Nothing of ours: keys of the service are none of a model's business.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] },
      execArgv: [`--max-old-space-size=${memoryMiB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const worker: Worker = { child, lastWords: '' };
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      worker.lastWords = (worker.lastWords + text).slice(-2000);
    });
    child.on('error', (error) =>
      logger.warn({ event: 'model_process.failed', err: error }, 'a process of a model failed'),
    );
    child.once('exit', () => forget(worker));
    all.add(worker);
    return worker;
  }

  function forget(worker: Worker): void {
    clearTimeout(worker.idleTimer);
    all.delete(worker);
    const position = idle.indexOf(worker);
    if (position !== -1) idle.splice(position, 1);
  }

  function end(worker: Worker): void {
    forget(worker);
    worker.child.kill('SIGKILL');
  }

  function rest(worker: Worker): void {
    worker.idleTimer = setTimeout(() => end(worker), idleMs).unref();
    idle.push(worker);
  }

  async function run(task: Task, signal?: AbortSignal): Promise<Answer> {
    if (closed) throw unavailable(new Error('the service stops'));
    if (signal?.aborted) throw unavailable(signal.reason);
    const worker = idle.pop() ?? start();
    clearTimeout(worker.idleTimer);
    const { promise, resolve, reject } = Promise.withResolvers<TaskAnswer<Answer>>();
    const giveUp = (): void => reject(unavailable(signal?.reason));
    const died = (code: number | null, by: string | null): void => {
      const cause = new Error(`the process of the model ended with ${by ?? String(code)}: ${worker.lastWords.trim()}`);
      reject(closed ? unavailable(cause) : upstreamFailed(cause));
    };
    const timer = setTimeout(
      () => reject(deadlineExceeded(new Error(`the model took longer than ${timeoutMs} ms`))),
      timeoutMs,
    );
    signal?.addEventListener('abort', giveUp);
    worker.child.once('message', resolve).once('exit', died);
    try {
      worker.child.send({ task }, (error) => error && reject(upstreamFailed(error)));
      const answered = await promise;
      if ('failure' in answered) throw upstreamFailed(new Error(answered.failure));
      if (answered.rss > memoryMiB * 2 ** 20) end(worker);
      else rest(worker);
      return answered.answer;
    } catch (error) {
      end(worker);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      worker.child.off('message', resolve).off('exit', died);
    }
  }

  return {
    run,
    async close() {
      closed = true;
      await Promise.all(
        [...all].map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}
