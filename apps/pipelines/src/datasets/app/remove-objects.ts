import type { Clock } from '@platform-backend/core';
import type { DatasetFiles } from '../domain/dataset-files.ts';
import type { ObjectRemovals } from '../domain/datasets.ts';

const ROUND_SIZE = 200;

/** Removes the bytes that nothing claims. Safe to repeat, and for two replicas to do at the same time. */
export async function removeObjects(
  {
    files,
    removals,
    clock,
  }: { readonly files: DatasetFiles; readonly removals: ObjectRemovals; readonly clock: Clock },
  stopping: AbortSignal,
): Promise<void> {
  await files.forgetCopies();
  for (;;) {
    const at = clock.now();
    const due = await removals.due(at, ROUND_SIZE);
    await files.remove(due.filter((key) => !key.endsWith('/')));
    for (const prefix of due.filter((key) => key.endsWith('/'))) await files.removeAll(prefix);
    await removals.done(due, at);
    if (due.length < ROUND_SIZE || stopping.aborted) return;
  }
}
