import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** How many tests passed, failed and were left out. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Files of which a test failed and passed when they were run once more. */
  readonly unsteady: readonly string[];
}

const patterns = ['{apps,libs,tools}/*/test-results/*.json', 'e2e/test-results/*.json', 'bench/test-results/*.json'];

/** Forgets earlier runs, so that only results of this run, or from its cache, are counted. */
export function forgetTestTotals(root: string): void {
  for (const file of globSync(patterns, { cwd: root })) rmSync(join(root, file));
}

/** The sum over all projects. */
export function sumTestTotals(root: string): TestTotals {
  return globSync(patterns, { cwd: root })
    .map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as TestTotals)
    .reduce(
      (sum, one) => ({
        passed: sum.passed + one.passed,
        failed: sum.failed + one.failed,
        skipped: sum.skipped + one.skipped,
        unsteady: [...sum.unsteady, ...one.unsteady],
      }),
      { passed: 0, failed: 0, skipped: 0, unsteady: [] },
    );
}

/** `12 passed, 0 failed`, alone on the last line, for people and machines. */
export function totalsLine({ passed, failed, skipped }: Omit<TestTotals, 'unsteady'>): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
