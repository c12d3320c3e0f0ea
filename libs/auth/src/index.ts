export { INVALID_CALLER_ASSERTION, MISSING_CALLER_ASSERTION } from './assertion-claims.ts';
export * from './api-key-format.ts';
export * from './assertion-verifier.ts';
export * from './authorise.ts';
export * from './caller-assertions.ts';
export * from './caller.ts';
export * from './service-key-settings.ts';
export * from './service-keys.ts';
export * from './token-verifier.ts';
