export * from './clock.ts';
export * from './configuration.ts';
export * from './domain-error.ts';
export * from './expiring-cache.ts';
export * from './ids.ts';
export * from './logger.ts';
export * from './run-service.ts';
export * from './settings.ts';
