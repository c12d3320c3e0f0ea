import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from './domain-error.ts';

/** Kept back from a caller's deadline, in milliseconds, so that what we say about being late still arrives in time. */
export const ANSWER_MARGIN_MS = 50;

/** Who waits for what is being done. */
export interface WaitingCaller {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting; absent where no one knows. */
  readonly deadline?: Date | undefined;
}

interface PresentCaller extends WaitingCaller {
  /** Whether something was changed for it, which is brought to its end. */
  hasChanged: boolean;
}

const callers = new AsyncLocalStorage<PresentCaller | undefined>();

/** Runs work for a caller who may go away, or run out of time, before it is done. */
export const withCaller = <T>({ signal, deadline }: WaitingCaller, work: () => T): T =>
  callers.run({ signal, deadline, hasChanged: false }, work);

/**
 * Runs what is the call's own and goes on whoever goes away, as it was begun by a commit: logs and calls of it name its request. What
 * others want as well is `outsideOfCalls`.
 */
export const withoutCaller = <T>(work: () => T): T => callers.run(undefined, work);

/** Aborted when nobody waits any more for what is being done; none where it goes on whoever goes away. For what queues. */
export const callerSignal = (): AbortSignal | undefined => {
  const caller = callers.getStore();
  return caller?.hasChanged ? undefined : caller?.signal;
};

/** How many milliseconds there are in which the caller can still be answered; Infinity where nobody waits. */
export const remainingDeadlineMs = (): number => {
  const deadline = callers.getStore()?.deadline;
  return deadline ? Math.max(0, deadline.getTime() - ANSWER_MARGIN_MS - Date.now()) : Infinity;
};

/** How many milliseconds what queues may wait for the caller's sake; Infinity where it goes on whoever goes away. */
export const queueLimitMs = (): number => (callers.getStore()?.hasChanged ? Infinity : remainingDeadlineMs());

/**
 * Something was changed for the caller: a transaction is committed, or another service has done something. From here on the work
 * goes on whoever goes away, so that nothing is left half done which a commit has begun.
 */
export const callHasChanged = (): void => {
  const caller = callers.getStore();
  if (caller) caller.hasChanged = true;
};

/**
 * For what begins, or is about to become final.
 *
 * @throws DomainError `unavailable` when the caller has gone before anything was changed for it.
 */
export function requireCaller(): void {
  const caller = callers.getStore();
  if (caller?.signal.aborted && !caller.hasChanged) throw unavailable(caller.signal.reason);
}

/** Calls `act` when the caller goes away before anything was changed for it. The function returned stops that. */
export function whenCallerLeaves(act: () => void): () => void {
  const caller = callers.getStore();
  if (!caller) return () => undefined;
  const left = (): void => {
    if (!caller.hasChanged) act();
  };
  caller.signal.addEventListener('abort', left);
  return () => caller.signal.removeEventListener('abort', left);
}
