/**
 * Node as it is, which files of tests share that run in one process: what they change of the environment's variables is undone
 * behind each. A test reads from `TEST_LONG` whether it is run in its long form; the run says of which files that is so: of all
 * (`all`), or of those in some folders, by commas.
 */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { relative } from 'node:path';

/** Where Jest keeps whom it tells of tests: of the global object, which it takes for one of the file alone. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

export default class NativeEnvironment {
  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor({ projectConfig }, { testPath }) {
    this.global = globalThis;
    this.fakeTimers = /** @type {unknown} */ (null);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.moduleMocker = new ModuleMocker(globalThis);
    this.earlier = { variables: { ...process.env }, console: globalThis.console, exit: process.exit };
    const { TEST_LONG: long = '' } = process.env;
    const file = relative(projectConfig.rootDir, testPath);
    const isLong = long === 'all' || long.split(',').some((folder) => folder !== '' && file.startsWith(`${folder}/`));
    process.env['TEST_LONG'] = isLong ? '1' : '';
  }

  /**
   * Each file has handlers of its own for what becomes of its tests. Those of earlier files would be told of it as well, report it once
   * more each, and keep all that they know of.
   *
   * Stacks are what Node makes of them. Jest looks up every frame of a hundred in source maps, of which there are none: types are
   * taken away where they stand. Tests of what is refused would spend a fifth of their time on it.
   */
  async setup() {
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    Error.stackTraceLimit = 30;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    const { variables, console, exit } = this.earlier;
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    globalThis.console = console;
    process.exit = exit;
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
}
