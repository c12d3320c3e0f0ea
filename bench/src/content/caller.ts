/** A process that works in one variant whenever its parent tells it to: nothing that is measured shares it. */
import { tasksIn, type Task, type Tasks, type Variant, type VariantParts } from './variants.ts';

export interface CallerOptions extends VariantParts {
  readonly variant: Variant;
}

/** What the parent asks for. */
export interface Load {
  readonly task: Task;
  readonly seconds: number;
  /** How many are under way at once. */
  readonly connections: number;
}

/** What came of it. */
export type Outcome = { readonly done: number; readonly seconds: number } | { readonly failure: string };

process.once('message', (options: CallerOptions) => {
  const tasks = tasksIn(options.variant, options);
  process.on('message', (load: Load) => {
    workFor(tasks, load).then(answer, (error: unknown) => answer({ failure: String(error) }));
  });
});
process.once('disconnect', () => process.exit(0));

const answer = (outcome: Outcome): void => void process.send?.(outcome);

async function workFor(tasks: Tasks, { task, seconds, connections }: Load): Promise<Outcome> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let done = 0;
  const oneAfterTheOther = async (): Promise<void> => {
    while (performance.now() < end) {
      await tasks[task]();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, oneAfterTheOther));
  return { done, seconds: (performance.now() - startedAt) / 1000 };
}
