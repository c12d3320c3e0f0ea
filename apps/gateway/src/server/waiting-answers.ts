import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A client may send several requests before it is answered, and their answers wait for each other. Node closes those that wait when the
 * connection closes, but not where a request behind them wanted the connection for another protocol: here they are closed as
 * well, so that what is done for them ends, and what they count for is given back.
 */
export function closeWaitingAnswers(server: Server): void {
  const waitingOn = new WeakMap<Socket, Set<ServerResponse>>();

  const waitingFor = (socket: Socket): Set<ServerResponse> => {
    const known = waitingOn.get(socket);
    if (known) return known;
    const waiting = new Set<ServerResponse>();
    waitingOn.set(socket, waiting);
    // Those that Node closes are gone from here a moment later.
    const closeAll = (): void => {
      for (const response of waiting) {
        response.destroy();
        response.emit('close');
      }
    };
    socket.once('close', () => setImmediate(closeAll));
    return waiting;
  };

  server.prependListener('request', ({ socket }, response) => {
    // Nearly all are written at once.
    if (response.socket) return;
    const waiting = waitingFor(socket);
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
}
