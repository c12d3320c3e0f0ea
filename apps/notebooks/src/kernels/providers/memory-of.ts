import type { KernelRun } from './kernel-run.ts';

/** Bytes that all of them hold; undefined where nobody can tell. */
export function memoryOf(runs: Iterable<Pick<KernelRun, 'memoryBytes'>>): number | undefined {
  let sum = 0;
  for (const run of runs) {
    const bytes = run.memoryBytes?.();
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}
