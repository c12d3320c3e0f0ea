import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { headersWithoutTokenProtocol } from '../authentication/credentials.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Node's HTTP server keeps the answer being written on its connection. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers requests that want their connection for another protocol as all others: the same policies decide, and a refusal
 * is an ordinary answer, after which the connection ends. Which requests these are says `shouldUpgradeCallback`. One that comes before
 * an earlier request is answered gets no answer: the connection ends behind the earlier one.
 */
export function answerUpgrades(
  server: Server,
  exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange,
): void {
  server.on('upgrade', (request, connection, head) => {
    // A client that breaks off; its connection closes as well. Node does not listen any more.
    connection.on('error', () => undefined);
    // Nobody reads on to see the client end it.
    const close = (): void => void connection.end(() => connection.destroy());
    const { _httpMessage: earlier } = request.socket as Connection;
    if (earlier) {
      earlier.shouldKeepAlive = false;
      earlier.once('close', close);
      return;
    }
    request.headers = headersWithoutTokenProtocol(request.headers);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection as Socket);
    response.once('finish', close);
    exchangeOf(request, response).upgrade = { socket: connection, head, isDone: false };
    server.emit('request', request, response);
  });
}
