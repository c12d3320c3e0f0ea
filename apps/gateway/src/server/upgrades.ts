import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { headersWithoutTokenProtocol } from '../authentication/credentials.ts';
import type { Exchange } from '../exchange/exchange.ts';

/**
 * Answers requests that want their connection for another protocol as all others: the same policies decide, and a refusal
 * is an ordinary answer, after which the connection ends. Which requests these are says `shouldUpgradeCallback`.
 */
export function answerUpgrades(
  server: Server,
  exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange,
): void {
  server.on('upgrade', (request, socket, head) => {
    request.headers = headersWithoutTokenProtocol(request.headers);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => socket.end());
    // A client that breaks off; its connection closes as well.
    socket.on('error', () => undefined);
    exchangeOf(request, response).upgrade = { socket, head, isDone: false };
    server.emit('request', request, response);
  });
}
