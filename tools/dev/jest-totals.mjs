/**
 * A Jest reporter that leaves the totals of a run in `<project>/test-results/<kind>.json`. Nx keeps the
 * file with its cached results, so `npm test` can add up all projects, those from the cache included.
 * It also ends a run that something keeps alive after its last test, as what a failed test has left running:
 * all other checks would wait for it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long a run may take to end after its last test, in milliseconds. */
const MAX_LEFTOVER = 60_000;

export default class TotalsReporter {
  #rootDir;

  /** @param {{ rootDir: string }} globalConfig */
  constructor(globalConfig) {
    this.#rootDir = globalConfig.rootDir;
  }

  /**
   * @param {Set<{ config: { displayName?: { name: string } } }>} contexts
   * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, success: boolean, numRuntimeErrorTestSuites: number }} results
   */
  onRunComplete(contexts, results) {
    setTimeout(() => {
      console.error('Ended: something that the tests did not close kept this run alive for a minute.');
      process.exit(results.success ? 0 : 1);
    }, MAX_LEFTOVER).unref();
    const [context] = contexts;
    if (!context) return;
    const directory = join(this.#rootDir, 'test-results');
    mkdirSync(directory, { recursive: true });
    const totals = {
      passed: results.numPassedTests,
      // A file that could not even be loaded counts as one failed test.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests,
    };
    writeFileSync(join(directory, `${context.config.displayName?.name ?? 'all'}.json`), `${JSON.stringify(totals)}\n`);
  }
}
