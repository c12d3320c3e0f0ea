import type { IncomingMessage, Server } from 'node:http';
import { LINGER_BYTES, LINGER_MS } from '../exchange/answer.ts';

/** How often it is looked at what has come meanwhile. */
const LOOK_MS = 100;

/**
 * Bounds what is read of bodies that nobody asked for, of a GET for instance, or of a request that was answered before
 * its body was there. Node throws such a body away so that the connection can be used again, however long that takes;
 * here the connection is cut where it takes too long.
 */
export function boundUnreadBodies(server: Server): void {
  server.prependListener('request', (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return;
    response.once('finish', () => {
      if (!request.complete) boundRest(request);
    });
  });
}

function boundRest(request: IncomingMessage): void {
  const { socket } = request;
  const readBefore = socket.bytesRead;
  const endsAt = performance.now() + LINGER_MS;
  const looking = setInterval(() => {
    if (!request.complete && !socket.destroyed) {
      if (performance.now() < endsAt && socket.bytesRead - readBefore <= LINGER_BYTES) return;
      socket.destroy();
    }
    clearInterval(looking);
  }, LOOK_MS);
}
