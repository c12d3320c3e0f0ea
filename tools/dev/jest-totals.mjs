/**
 * A Jest reporter that leaves the totals of a run in `<project>/test-results/<kind>.json`. Nx keeps the
 * file with its cached results, so `npm test` can add up all projects, those from the cache included.
 * For `run-tests.mjs` it says which files failed, and adds to the totals of their second run those of the others.
 * It also ends a run that something keeps alive after its last test, as what a failed test has left running:
 * all other checks would wait for it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** How long a run may take to end after its last test, in milliseconds. */
const MAX_LEFTOVER = 60_000;

/**
 * @typedef {{ testFilePath: string, numPassingTests: number, numFailingTests: number, numPendingTests: number, testExecError?: unknown }} FileResult
 * @typedef {{ passed: number, failed: number, skipped: number, unsteady: string[] }} Totals
 */

export default class TotalsReporter {
  #rootDir;

  /** @param {{ rootDir: string }} globalConfig */
  constructor(globalConfig) {
    this.#rootDir = globalConfig.rootDir;
  }

  /**
   * @param {Set<{ config: { displayName?: { name: string } } }>} contexts
   * @param {{ testResults: FileResult[], success: boolean }} results
   */
  onRunComplete(contexts, { testResults, success }) {
    setTimeout(() => {
      console.error('Ended: something that the tests did not close kept this run alive for a minute.');
      process.exit(success ? 0 : 1);
    }, MAX_LEFTOVER).unref();
    const { TEST_FAILURES, REPEATED_TEST_FAILURES } = process.env;
    const failed = testResults.filter(hasFailed);
    const passed = testResults.filter((result) => !hasFailed(result));
    if (TEST_FAILURES) {
      const failures = { files: failed.map(({ testFilePath }) => testFilePath), others: totalsOf(passed) };
      writeFileSync(TEST_FAILURES, JSON.stringify(failures));
    }
    const [context] = contexts;
    if (!context) return;
    const totals = totalsOf(testResults);
    if (REPEATED_TEST_FAILURES) {
      /** @type {{ others: Totals }} */
      const { others } = JSON.parse(readFileSync(REPEATED_TEST_FAILURES, 'utf8'));
      totals.passed += others.passed;
      totals.skipped += others.skipped;
      totals.unsteady = passed.map(({ testFilePath }) => relative(process.cwd(), testFilePath));
    }
    const directory = join(this.#rootDir, 'test-results');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${context.config.displayName?.name ?? 'all'}.json`), `${JSON.stringify(totals)}\n`);
  }
}

/**
 * @param {FileResult[]} results
 * @returns {Totals}
 */
function totalsOf(results) {
  /** @param {(result: FileResult) => number} count */
  const sum = (count) => results.reduce((total, result) => total + count(result), 0);
  return {
    passed: sum(({ numPassingTests }) => numPassingTests),
    // A file that could not even be loaded counts as one failed test.
    failed: sum((result) => Math.max(result.numFailingTests, Number(hasFailed(result)))),
    skipped: sum(({ numPendingTests }) => numPendingTests),
    unsteady: [],
  };
}

/** @param {FileResult} result */
const hasFailed = ({ numFailingTests, testExecError }) => numFailingTests > 0 || Boolean(testExecError);
