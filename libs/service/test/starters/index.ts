export {
  callers,
  member,
  newOrganisation,
  refusalOf,
  refusalsOf,
  service,
  type Callers,
  type CallersOptions,
} from './callers.ts';
export { startCrashTestService } from './crash-test-service.ts';
export { eventTypesOf, misfits, publishedEvents, type PublishedEvent } from './published-events.ts';
export { resealedSecrets } from './reseal-secrets.ts';
export { migrateService, startService, type ServiceProcess } from './service-process.ts';
export { standIn } from './stand-in.ts';
export { startTestService, testEnvironment, type TestServiceOptions } from './start-test-service.ts';
export { migratedDatabase } from './test-database.ts';
