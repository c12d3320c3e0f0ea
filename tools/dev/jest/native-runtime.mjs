/**
 * Loads test files as Node loads any program, in place of Jest's own module system. Services are heavy to load, and
 * Jest's loads them anew for each file, twice as slowly; here all files of a worker share what is loaded, and Node takes the types
 * away. Everything else (hooks, time limits, snapshots, reports) is Jest's. Modules cannot be mocked.
 */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** @typedef {import('@jest/environment').JestEnvironment<unknown>} Environment */

const require = createRequire(import.meta.url);

/** What `@jest/globals` gives now: each test file has its own, and modules that several of them share are loaded once. */
const current = /** @type {Record<string, any>} */ ({});
const names = /** @type {const} */ ([
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'fdescribe',
  'fit',
  'it',
  'jest',
  'test',
  'xdescribe',
  'xit',
  'xtest',
]);
const delegates = Symbol.for('platform.jest.globals');
Reflect.set(globalThis, delegates, Object.fromEntries(names.map((name) => [name, delegateTo(name)])));

/** @param {string} name */
function delegateTo(name) {
  return new Proxy(() => undefined, {
    apply: (_, self, args) => Reflect.apply(current[name], self, args),
    get: (_, property) => {
      const value = current[name][property];
      return typeof value === 'function' && name === 'jest' ? value.bind(current[name]) : value;
    },
  });
}

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: 'jest:globals', shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === 'jest:globals'
      ? {
          format: 'module',
          source: `export const { ${names.join(', ')} } = globalThis[Symbol.for('platform.jest.globals')];`,
          shortCircuit: true,
        }
      : next(url, context),
});

let loaded = 0;

export default class NativeRuntime {
  /**
   * @param {import('@jest/types').Config.ProjectConfig} _config
   * @param {Environment} environment
   */
  constructor(_config, environment) {
    const { moduleMocker: mocks, fakeTimersModern: timers } = environment;
    if (!mocks || !timers) throw new Error('the environment has neither mocks nor timers');
    current['jest'] = {
      fn: mocks.fn.bind(mocks),
      spyOn: mocks.spyOn.bind(mocks),
      clearAllMocks: () => mocks.clearAllMocks(),
      resetAllMocks: () => mocks.resetAllMocks(),
      restoreAllMocks: () => mocks.restoreAllMocks(),
      useFakeTimers: (/** @type {import('@jest/types').Config.FakeTimersConfig} */ options) =>
        timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      setSystemTime: (/** @type {number | Date} */ now) => timers.setSystemTime(now),
      advanceTimersByTime: (/** @type {number} */ ms) => timers.advanceTimersByTime(ms),
      getTimerCount: () => timers.getTimerCount(),
    };
  }

  /** @param {Record<string, unknown>} globals */
  setGlobalsForRuntime(globals) {
    Object.assign(current, globals);
  }

  /**
   * Of Jest's own, anew for each test file: it has the state of one.
   *
   * @param {string} path
   */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  /** @param {string} path */
  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @param {string} path */
  async unstable_importModule(path) {
    loaded += 1;
    await import(`${pathToFileURL(path).href}?${loaded}`);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return {};
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
