/**
 * The order of test files: those that take longest come first, so that no core idles at the end. An earlier run
 * tells how long a file takes; where there was none, it is expected to take as long as its kind does. The journeys come before all
 * others: they share a platform, which takes a tenth of a core until it ends with the last of them.
 */
import Sequencer from '@jest/test-sequencer';
import { plan } from './planned-tests.mjs';

/** @typedef {import('@jest/test-result').Test} Test */

/** Seconds, by what a file is named; of the others the larger ones come first. */
const EXPECTED_SECONDS = /** @type {const} */ ([
  [/(service-suites|argo-runs|own-platform)\.test\.ts$/, 80],
  [/killed-|ledger\.test|adding-a-|\/turns\.test|kernel-steps|notebook-runs|stripe\.test/, 40],
  [/\/e2e\/test\//, 25],
  [/\/apps\/.*\/test\//, 10],
  [/\/test\//, 5],
]);

// The ES module is what is loaded here; its types describe the other one.
const BaseSequencer = /** @type {typeof Sequencer.default} */ (/** @type {unknown} */ (Sequencer));

export default class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {Test[]} tests
   */
  async sort(tests) {
    const known = await super.sort(tests);
    for (const test of known) test.duration ??= expectedMs(test);
    const sorted = known.sort((one, other) => (other.duration ?? 0) - (one.duration ?? 0));
    return plan([...sorted.filter(sharesAPlatform), ...sorted.filter((test) => !sharesAPlatform(test))]);
  }
}

/** @param {Test} test */
const sharesAPlatform = ({ context }) => Boolean(context.config.globalTeardown);

/** @param {Test} test */
const expectedMs = ({ path, context }) =>
  1_000 * (EXPECTED_SECONDS.find(([name]) => name.test(path))?.[1] ?? 0) + (context.hasteFS.getSize(path) ?? 0) / 1_000;
