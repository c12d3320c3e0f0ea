/** How many tests of a file passed, failed and were left out. */
export interface FileTotals {
  /** Relative to the repository. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** With more files that fail something is broken, not unsteady. */
const MAX_REPEATED_FILES = 5;

/** The files that failed, where they are few. */
export function filesToRepeat(files: readonly FileTotals[]): string[] {
  const failed = files.filter((one) => one.failed > 0).map(({ file }) => file);
  return failed.length > MAX_REPEATED_FILES ? [] : failed;
}

/** All files, each as it ended last. */
export const withRepeated = (files: readonly FileTotals[], repeated: readonly FileTotals[]): FileTotals[] => [
  ...new Map([...files, ...repeated].map((one) => [one.file, one])).values(),
];
