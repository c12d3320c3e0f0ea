import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs work for a caller who may go away or run out of time before it is done. */
export const withCallerSignal = <T>(signal: AbortSignal, work: () => T): T => signals.run(signal, work);

/** Aborted when nobody waits any more for what is being done; none where nobody ever did. For what queues. */
export const callerSignal = (): AbortSignal | undefined => signals.getStore();
