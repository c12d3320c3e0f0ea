import { AsyncLocalStorage } from 'node:async_hooks';

/** Kept back from a caller's deadline, in milliseconds, so that what we say about being late still arrives in time. */
export const ANSWER_MARGIN_MS = 50;

/** Who waits for what is being done. */
export interface WaitingCaller {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting; absent where no one knows. */
  readonly deadline?: Date | undefined;
}

const callers = new AsyncLocalStorage<WaitingCaller | undefined>();

/** Runs work for a caller who may go away, or run out of time, before it is done. */
export const withCaller = <T>(caller: WaitingCaller, work: () => T): T => callers.run(caller, work);

/** Runs work that goes on whoever goes away, since others want it as well. */
export const withoutCaller = <T>(work: () => T): T => callers.run(undefined, work);

/** Aborted when nobody waits any more for what is being done; none where nobody ever did. For what queues. */
export const callerSignal = (): AbortSignal | undefined => callers.getStore()?.signal;

/** How many milliseconds there are in which the caller can still be answered; Infinity where nobody waits. */
export const remainingDeadlineMs = (): number => {
  const deadline = callers.getStore()?.deadline;
  return deadline ? Math.max(0, deadline.getTime() - ANSWER_MARGIN_MS - Date.now()) : Infinity;
};
