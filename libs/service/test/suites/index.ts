export { killedCallsSuite, type KilledCalls } from './killed-calls-suite.ts';
export { serviceSuites } from './service-suites.ts';
export { spendingSuite } from './spending-suite.ts';
export type { SeededOrganisation, KnownOperation, ServiceUnderTest } from './service-under-test.ts';
