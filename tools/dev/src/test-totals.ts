/** How many tests passed, failed and were left out. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RunTotals extends TestTotals {
  readonly failedFiles: readonly (TestTotals & { readonly file: string })[];
}

/** With more files that fail something is broken, not unsteady. */
const MAX_REPEATED_FILES = 5;

export const canBeRepeated = ({ failedFiles }: RunTotals): boolean =>
  failedFiles.length > 0 && failedFiles.length <= MAX_REPEATED_FILES;

/** The totals of a run whose failed files were run once more. */
export function withRepeated(run: RunTotals, repeated: RunTotals): RunTotals {
  const first = (count: (totals: TestTotals) => number) => run.failedFiles.reduce((sum, file) => sum + count(file), 0);
  return {
    passed: run.passed - first(({ passed }) => passed) + repeated.passed,
    failed: run.failed - first(({ failed }) => failed) + repeated.failed,
    skipped: run.skipped - first(({ skipped }) => skipped) + repeated.skipped,
    failedFiles: repeated.failedFiles,
  };
}
