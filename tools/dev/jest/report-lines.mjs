/** What is told of a test run, as text: pure functions. */

/** @param {string} file Relative to the repository. */
export const projectOf = (file) => {
  const [first = '', second = ''] = file.split('/');
  return ['apps', 'libs', 'tools'].includes(first) ? `${first}/${second}` : first;
};

/** `45 s`, `3.2 s`, `12 min 5 s`. @param {number} ms Milliseconds. */
export const describeDuration = (ms) => {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};

/** `about 4 min left`. @param {number} ms Milliseconds. */
export const describeTimeLeft = (ms) =>
  ms < 90_000 ? `about ${Math.max(5, Math.round(ms / 5_000) * 5)} s left` : `about ${Math.round(ms / 60_000)} min left`;

/**
 * Milliseconds until all files are done. What is expected of a file is a guess in a first run: it is held against what the files that are
 * done have taken.
 *
 * @param {readonly { expectedMs: number, tookMs?: number | undefined, runningMs?: number | undefined }[]} files
 * @param {number} workers
 */
export const msLeft = (files, workers) => {
  const done = files.filter(({ tookMs }) => tookMs !== undefined);
  const expected = done.reduce((sum, { expectedMs }) => sum + expectedMs, 0);
  const took = done.reduce((sum, { tookMs = 0 }) => sum + tookMs, 0);
  const pace = done.length < TELLING ? 1 : took / Math.max(1, expected);
  return (
    files
      .filter(({ tookMs }) => tookMs === undefined)
      .reduce((sum, { expectedMs, runningMs = 0 }) => sum + Math.max(0, pace * expectedMs - runningMs), 0) / workers
  );
};

/** Of fewer files nothing is to be learned. */
const TELLING = 5;

/**
 * What was left out, each reason once with the files that it concerns.
 *
 * @param {readonly { file: string, reason: string }[]} leftOut
 */
export const leftOutLines = (leftOut) =>
  [...Map.groupBy(leftOut, ({ reason }) => reason)]
    .map(([reason, files]) => `  ${reason} (${[...new Set(files.map(({ file }) => file))].join(', ')})`)
    .sort();

/** @typedef {{ passed: number, failed: number, skipped: number }} TestTotals */

/** @param {readonly TestTotals[]} files */
export const sumOf = (files) =>
  files.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/**
 * `12 passed, 0 failed`, alone on the last line, for people and machines.
 *
 * @param {TestTotals} totals
 */
export const totalsLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
