export type { Development, ServiceDeclaration } from './declaration.ts';
export { defineService } from './define-service.ts';
export type { RunningService, Service, ServiceEnvironment } from './service.ts';
export type { Compose, Composition, Follower, ServiceContext } from './service-context.ts';
export { composeAreas, type Area, type Areas } from './area.ts';
export { always, repeat, type PeriodicJob, type RunningJob } from './periodic-job.ts';
export type { AnyStorage, OpenOptions, OpenStorage, OrganisationRestore, Storage } from './storage.ts';
