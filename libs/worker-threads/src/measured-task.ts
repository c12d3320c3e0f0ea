import { threadId } from 'node:worker_threads';

/** A task for the module at `work`, which is done by the thread that writes its name and what it has used so far to `board`. */
export interface MeasuredTask<Task> {
  readonly work: string;
  readonly task: Task;
  /** The thread, 0 while none has it; then microseconds of processor time. */
  readonly board: BigInt64Array;
}

type Work<Task, Result> = (task: Task) => Result | Promise<Result>;

/** @public Loaded by its URL. */
export default async function measured<Task, Result>({ work, task, board }: MeasuredTask<Task>): Promise<Result> {
  const { default: run } = (await import(work)) as { readonly default: Work<Task, Result> };
  const { user, system } = process.threadCpuUsage();
  Atomics.store(board, 1, BigInt(user + system));
  Atomics.store(board, 0, BigInt(threadId));
  return run(task);
}
