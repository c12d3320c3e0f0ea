export { killedCallsSuite, type KilledCalls } from './killed-calls-suite.ts';
export { serviceSuites } from './service-suites.ts';
export type { FurnishedOrganisation, KnownOperation, ServiceUnderTest } from './service-under-test.ts';
