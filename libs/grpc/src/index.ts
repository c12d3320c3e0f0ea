export * from './call-context.ts';
export * from './contract.ts';
