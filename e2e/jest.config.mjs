import preset from '../jest.preset.mjs';

const integration = preset.projects.find(({ displayName }) => displayName === 'integration');

/** The journeys share one platform, started before the first of them and stopped after the last. */
export default {
  ...integration,
  displayName: 'e2e',
  rootDir: import.meta.dirname,
  reporters: preset.reporters,
  globalSetup: '<rootDir>/start-platform.mjs',
  globalTeardown: '<rootDir>/stop-platform.mjs',
  testTimeout: 300_000,
};
