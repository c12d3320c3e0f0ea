import { AsyncLocalStorage } from 'node:async_hooks';

const outside = AsyncLocalStorage.snapshot();

/**
 * Runs work that is no call's, whoever has set it going: what others want as well, or what outlives the call. Nobody who goes away
 * ends it, and nothing of the call is part of it: its deadline, request id and trace, the change that it notes, and the
 * condition of an If-Match, which would be judged by what waits for this very work.
 */
export const outsideOfCalls = <T>(work: () => T): T => outside(work);
