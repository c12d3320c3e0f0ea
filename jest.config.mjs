import { join } from 'node:path';

/**
 * One run for the whole repository. `unit` tests lie beside their source and do no I/O, `integration` tests in folders `test/`
 * and use real servers, `e2e` tests are journeys over HTTP. Tests are native ES modules.
 */
const root = import.meta.dirname;
const dev = join(root, 'tools/dev/jest');

const shared = {
  rootDir: root,
  cacheDirectory: join(root, 'node_modules/.cache/jest'),
  roots: ['apps', 'bench', 'e2e', 'libs', 'protos', 'tools'].map((folder) => join(root, folder)),
  testEnvironment: join(dev, 'environment.mjs'),
  runtime: join(dev, 'native-runtime.mjs'),
  transform: {},
};

export default {
  // No promise about speed: real servers on a busy machine only must not hang for ever.
  testTimeout: 300_000,
  testSequencer: join(dev, 'longest-first.mjs'),
  reporters: [join(dev, 'reporter.mjs')],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['{apps,libs,tools}/*/src/**/*.test.ts', '{e2e,bench}/src/**/*.test.ts', 'protos/**/*.test.ts'].map(
        (pattern) => join(root, pattern),
      ),
      testPathIgnorePatterns: ['/node_modules/', '/apps/[^/]+/src/[^/]+/test/'],
    },
    {
      ...shared,
      displayName: 'integration',
      // One server of each kind, which starts with the first file that asks for it.
      globalSetup: join(root, 'libs/testing/src/share-servers.mjs'),
      testMatch: [
        '{apps,libs,tools}/*/test/**/*.test.ts',
        'apps/*/src/*/test/**/*.test.ts',
        'bench/test/**/*.test.ts',
      ].map((pattern) => join(root, pattern)),
    },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: [join(root, 'e2e/test/**/*.test.ts')],
      globalSetup: join(root, 'e2e/start-platform.mjs'),
      globalTeardown: join(root, 'e2e/stop-platform.mjs'),
      setupFiles: [join(root, 'e2e/await-platform.mjs')],
    },
  ],
};
