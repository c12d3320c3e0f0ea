import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often connections that have fallen idle are closed while draining, in milliseconds. */
const SWEEP_MS = 50;
/** A connection on which nothing was ever said may yet carry a request that is on its way. */
const SILENCE_MS = 500;

export interface Drain {
  /**
   * Takes no new connection and resolves when the last request in flight is answered, or when the
   * limit has passed and the remaining connections were cut.
   */
  start(limitMs: number): Promise<void>;
}

/**
 * Ends a server without losing a request. One `close()` is not enough: a connection that is busy at
 * that moment stays open afterwards, kept alive by its client, and would hold the process until the
 * limit. So every answer given from then on closes its connection, and idle ones are swept. To Node
 * a connection is not idle before its first request, so those are kept count of here.
 */
export function drainOf(server: Server): Drain {
  const silent = new Set<Socket>();
  const unanswered = new Set<ServerResponse>();
  let finished: Promise<void> | undefined;

  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.prependListener('request', (request, response) => {
    silent.delete(request.socket);
    if (finished) response.shouldKeepAlive = false;
    unanswered.add(response);
    response.on('close', () => unanswered.delete(response));
  });

  const drain = async (limitMs: number): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const response of unanswered) if (!response.headersSent) response.shouldKeepAlive = false;

    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const silence = setTimeout(() => silent.forEach((socket) => socket.destroy()), SILENCE_MS);
    const limit = setTimeout(() => server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(silence);
    clearTimeout(limit);
  };

  return { start: (limitMs) => (finished ??= drain(limitMs)) };
}
