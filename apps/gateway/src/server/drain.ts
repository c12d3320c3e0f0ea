import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often connections that have fallen idle are closed while draining, in milliseconds. */
const SWEEP_MS = 50;
/** A connection on which nothing was ever said may yet carry a request that is on its way. */
const SILENCE_MS = 500;

export interface Drain {
  /**
   * From now on every answer closes its connection, and new connections are still taken: until the door closes clients have left
   * those that they kept alive, and none is cut while a request is on its way.
   */
  announce(): void;
  /**
   * Takes no new connection and resolves when the last request in flight is answered, or when the
   * limit has passed and the remaining connections were cut.
   */
  start(limitMs: number): Promise<void>;
}

/** Node's HTTP server keeps the answer being written on its connection. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Ends a server without losing a request. One `close()` is not enough: a connection that is busy at
 * that moment stays open afterwards, kept alive by its client, and would hold the process until the
 * limit. So every answer given from then on closes its connection, and idle ones are swept.
 */
export function drainOf(server: Server): Drain {
  const connections = new Set<Connection>();
  let announced = false;
  let finished: Promise<void> | undefined;

  server.on('connection', (socket: Connection) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', (_request, response) => {
    if (announced) response.shouldKeepAlive = false;
  });

  const announce = (): void => {
    announced = true;
    for (const { _httpMessage: unanswered } of connections) {
      if (unanswered && !unanswered.headersSent) unanswered.shouldKeepAlive = false;
    }
  };

  const drain = async (limitMs: number): Promise<void> => {
    announce();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    // To Node a connection is not idle before its first request.
    const silence = setTimeout(() => {
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
    }, SILENCE_MS);
    // Those that became WebSockets are no connections of the HTTP server any more, which yet waits for them.
    const limit = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(silence);
    clearTimeout(limit);
  };

  return { announce, start: (limitMs) => (finished ??= drain(limitMs)) };
}
