/** Works in one variant whenever its parent tells it to. */
import { serveLoads, type Load } from '../caller-process.ts';
import { tasksIn, type Task, type Variant, type VariantParts } from './variants.ts';

export interface TaskLoad extends Load {
  readonly task: Task;
}

serveLoads(({ variant, ...parts }: VariantParts & { readonly variant: Variant }) => {
  const tasks = tasksIn(variant, parts);
  return ({ task }: TaskLoad) => tasks[task];
});
