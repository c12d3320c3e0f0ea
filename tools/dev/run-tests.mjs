#!/usr/bin/env node
/**
 * Runs Jest: `node tools/dev/run-tests.mjs <arguments of Jest>`. A few files that fail are run once more, by themselves, and
 * those that pass then are named as unsteady at the end of `npm test`: thousands of tests with real processes on a busy
 * machine are then still one answer, and whoever reads it sees which of them to mend.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** With more files that fail something is broken, not unsteady. */
const MAX_REPEATED_FILES = 5;

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const directory = mkdtempSync(join(tmpdir(), 'tests-'));
const failuresFile = join(directory, 'failures.json');

try {
  process.exitCode = await runTests(process.argv.slice(2));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @param {string[]} args */
async function runTests(args) {
  const code = await run(args, { TEST_FAILURES: failuresFile, REPEATED_TEST_FAILURES: '' });
  const failed = code === 0 ? [] : filesThatFailed();
  if (failed.length === 0 || failed.length > MAX_REPEATED_FILES) return code;
  console.error(`\nOnce more, by themselves, the files that failed:\n${failed.join('\n')}\n`);
  return run([...args, '--runTestsByPath', ...failed], { TEST_FAILURES: '', REPEATED_TEST_FAILURES: failuresFile });
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<number>} The exit code.
 */
async function run(args, environment) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const options = { stdio: /** @type {const} */ ('inherit'), env: { ...process.env, ...environment } };
  const child = spawn(process.execPath, [...flags, jest, ...args], options);
  /** @param {NodeJS.Signals} signal */
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

/** @returns {string[]} None when Jest ended before it could tell. */
function filesThatFailed() {
  try {
    return JSON.parse(readFileSync(failuresFile, 'utf8')).files;
  } catch {
    return [];
  }
}
