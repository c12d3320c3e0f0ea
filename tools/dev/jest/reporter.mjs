/**
 * Tells how a test run goes: what fails, as soon as it fails; a line for each project when the last of its files is done, and
 * how much is left; at the end the slowest files, what was left out and why, and the totals. Of a few files it tells each test.
 */
import { VerboseReporter } from '@jest/reporters';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plannedTests } from './planned-tests.mjs';
import {
  describeDuration,
  describeTimeLeft,
  leftOutLines,
  msLeft,
  projectOf,
  sumOf,
  totalsLine,
} from './report-lines.mjs';

/** While nothing else is said, in milliseconds. */
const TELL_EVERY = 15_000;
/** How long a run may take to end after its last test, in milliseconds. */
const MAX_LEFTOVER = 60_000;
const SLOWEST = 10;
/** Of so few files each test is told. */
const FEW_FILES = 5;

/**
 * @typedef {import('@jest/test-result').Test} Test
 * @typedef {import('@jest/test-result').TestResult} TestResult
 * @typedef {import('@jest/test-result').AggregatedResult} AggregatedResult
 * @typedef {{ file: string, took: number, passed: number, failed: number, skipped: number }} FileTotals
 */

export default class Reporter {
  #config;
  #startedAt = 0;
  #toldAt = 0;
  /** @type {Map<string, FileTotals>} By their paths. */
  #done = new Map();
  /** @type {Map<string, number>} When each file that has begun did so. */
  #begunAt = new Map();
  /** @type {Map<string, string[]>} The files of each project, by its folder. */
  #projects = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {VerboseReporter | undefined} */
  #verbose;

  /** @param {import('@jest/types').Config.GlobalConfig} config */
  constructor(config) {
    this.#config = config;
  }

  /**
   * @param {AggregatedResult} results
   * @param {import('@jest/reporters').ReporterOnStartOptions} options
   */
  onRunStart(results, options) {
    this.#done.clear();
    this.#begunAt.clear();
    this.#projects = Map.groupBy(
      plannedTests().map(({ path }) => path),
      (path) => this.#projectOf(path),
    );
    this.#startedAt = this.#toldAt = performance.now();
    this.#verbose = plannedTests().length <= FEW_FILES ? new VerboseReporter(this.#config) : undefined;
    if (this.#verbose) return this.#verbose.onRunStart(results, options);
    this.#tell(`${plannedTests().length} files of tests, ${this.#config.maxWorkers} at once`);
    this.#timer = setInterval(() => {
      if (performance.now() - this.#toldAt >= TELL_EVERY) this.#tell(`  … ${this.#progress()}`);
    }, 1_000).unref();
  }

  /** @param {Test} test */
  onTestStart(test) {
    this.#begunAt.set(test.path, performance.now());
    this.#verbose?.onTestStart(test);
  }

  /**
   * @param {Test} test
   * @param {TestResult} result
   * @param {AggregatedResult} results
   */
  onTestResult(test, result, results) {
    const file = relative(this.#config.rootDir, test.path);
    const failed = Math.max(result.numFailingTests, result.testExecError ? 1 : 0);
    const took = result.perfStats.end - result.perfStats.start;
    this.#done.set(test.path, { file, took, failed, passed: result.numPassingTests, skipped: result.numPendingTests });
    this.#endWhatFilesShared(test.context.config.globalTeardown);
    if (this.#verbose) return this.#verbose.onTestResult(test, result, results);
    if (failed > 0) this.#tell(`✗ ${file} (${describeDuration(took)})\n${result.failureMessage ?? ''}`);
    const project = this.#projectOf(test.path);
    const files = this.#projects.get(project) ?? [];
    const done = files.flatMap((path) => this.#done.get(path) ?? []);
    if (done.length < files.length) return;
    const totals = sumOf(done);
    const mark = totals.failed === 0 ? '✓' : '✗';
    this.#tell(`${mark} ${project.padEnd(20)} ${totalsLine(totals)} in ${files.length} files; ${this.#progress()}`);
  }

  /**
   * @param {Set<import('@jest/test-result').TestContext>} _contexts
   * @param {AggregatedResult} results
   */
  onRunComplete(_contexts, results) {
    clearInterval(this.#timer);
    if (this.#config.watch || this.#config.watchAll) return this.#verbose?.onRunComplete();
    // What a failed test has left running must not keep all that comes after it waiting.
    setTimeout(() => {
      console.error('Ended: something that the tests did not close kept this run alive for a minute.');
      process.exit(results.success ? 0 : 1);
    }, MAX_LEFTOVER).unref();
    this.#verbose?.onRunComplete();
    const done = [...this.#done.values()];
    const failed = done.filter((one) => one.failed > 0);
    if (!this.#verbose) {
      const slowest = done.sort((one, other) => other.took - one.took).slice(0, SLOWEST);
      this.#tell(`\nThe slowest files:`);
      for (const { file, took } of slowest) this.#tell(`  ${describeDuration(took).padStart(12)}  ${file}`);
      if (failed.length > 0) this.#tell(`\nFailed:\n${failed.map(({ file }) => `  ${file}`).join('\n')}`);
    }
    const leftOut = leftOutLines(readLeftOut());
    if (leftOut.length > 0) this.#tell(`\nLeft out:\n${leftOut.join('\n')}`);
    this.#tell(`\nThe tests took ${describeDuration(performance.now() - this.#startedAt)}.`);
    const { TEST_TOTALS: file } = process.env;
    if (file === undefined) this.#tell(totalsLine(sumOf(done)));
    else writeFileSync(file, JSON.stringify(done));
  }

  /**
   * What the files of a kind share ends with the last of them: a platform that nobody uses takes a tenth of a core. Jest asks for it once
   * more at the end of the run, and tells what went wrong.
   *
   * @param {string | null | undefined} teardown
   */
  #endWhatFilesShared(teardown) {
    const { watch, watchAll } = this.#config;
    if (teardown == null || watch || watchAll) return;
    const left = plannedTests().filter(({ path }) => !this.#done.has(path));
    if (left.some(({ context }) => context.config.globalTeardown === teardown)) return;
    import(pathToFileURL(teardown).href).then(({ default: end }) => end()).catch(() => undefined);
  }

  /** @param {string} path */
  #projectOf(path) {
    return projectOf(relative(this.#config.rootDir, path));
  }

  /** @param {string} text */
  #tell(text) {
    this.#toldAt = performance.now();
    process.stdout.write(`${text}\n`);
  }

  #progress() {
    const planned = plannedTests();
    if (this.#done.size === planned.length) return 'nothing left';
    const files = planned.map(({ path, duration = 0 }) => ({
      expectedMs: duration,
      tookMs: this.#done.get(path)?.took,
      runningMs: performance.now() - (this.#begunAt.get(path) ?? performance.now()),
    }));
    return `${this.#done.size} of ${planned.length} files, ${describeTimeLeft(msLeft(files, this.#config.maxWorkers))}`;
  }
}

/** @returns {{ file: string, reason: string }[]} */
function readLeftOut() {
  const { TEST_LEFT_OUT: file } = process.env;
  if (file === undefined || !existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
