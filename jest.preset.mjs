/**
 * One configuration for every project: `unit` tests lie beside their source and do no I/O,
 * `integration` tests lie in `test/` and use real servers. Tests are native ES modules.
 */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/node_modules/'],
};

export default {
  passWithNoTests: true,
  // No promise about speed: real servers on a busy machine only must not hang for ever.
  testTimeout: 180_000,
  reporters: ['default', `${import.meta.dirname}/tools/dev/jest-totals.mjs`],
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/*.test.ts'] },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/test/**/*.test.ts'] },
  ],
};
