export * from './api-key-format.ts';
export * from './assertion-verifier.ts';
export * from './authorise.ts';
export * from './caller-assertions.ts';
export * from './caller.ts';
export * from './service-keys.ts';
export * from './token-verifier.ts';
