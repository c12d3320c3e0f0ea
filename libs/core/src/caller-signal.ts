import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal | undefined>();

/** Runs work for a caller who may go away or run out of time before it is done. */
export const withCallerSignal = <T>(signal: AbortSignal, work: () => T): T => signals.run(signal, work);

/** Runs work that goes on whoever goes away, since others want it as well. */
export const withoutCallerSignal = <T>(work: () => T): T => signals.run(undefined, work);

/** Aborted when nobody waits any more for what is being done; none where nobody ever did. For what queues. */
export const callerSignal = (): AbortSignal | undefined => signals.getStore();
