import type { TaskAnswer } from './model-process.ts';

/** Does one task after the other. */
type DoTask = (task: never) => Promise<unknown>;

/** What a process of `modelProcess` does: it loads the model with the first task, and answers one after the other. */
export function serveTasks(load: (options: never) => Promise<DoTask>): void {
  let loaded: Promise<DoTask> | undefined;
  const answerTo = async (task: unknown): Promise<TaskAnswer<unknown>> => {
    try {
      loaded ??= load(JSON.parse(process.argv[2] ?? 'null') as never);
      const doTask = await loaded;
      return { answer: await doTask(task as never), rss: process.memoryUsage.rss() };
    } catch (error) {
      return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', ({ task }: { task: unknown }) => {
    void answerTo(task).then((answer) => process.send?.(answer));
  });
  // The service is gone, and nobody waits for an answer.
  process.on('disconnect', () => process.exit());
}
