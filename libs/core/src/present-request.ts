import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

/**
 * Runs work that an outside request has caused, at once or through an event: log lines and calls of other services that come of it carry
 * its id, so that one search through the logs of all services finds them.
 */
export const inRequest = <T>(requestId: string, work: () => T): T => requests.run(requestId, work);

/** The id of the request that the present work comes of; undefined where it comes of none that is known. */
export const presentRequestId = (): string | undefined => requests.getStore();
