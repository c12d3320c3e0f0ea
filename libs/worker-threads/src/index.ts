export * from './worker-pool.ts';
