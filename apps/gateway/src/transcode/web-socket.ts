import type { Channel as ChannelRoute } from '@platform-backend/contract/http';
import type { ServiceStream } from '@platform-backend/grpc';
import { WebSocketServer, type WebSocket } from 'ws';
import { TOKEN_SUBPROTOCOL } from '../authentication/credentials.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { OpenStream } from './open-streams.ts';
import { endRequests, backpressure, type Sink } from './service-stream.ts';

/** Codes for applications begin here; the status of the problem is added. */
const PROBLEM_CODES = 4_000;
/** With these a client leaves in good order. */
const GOODBYES: ReadonlySet<number> = new Set([1000, 1001, 1005]);
/** How long a service gets to say its last after a client has said goodbye, in milliseconds. */
const GOODBYE_MS = 5_000;

/**
 * Carries the frames of a WebSocket as messages. The connection is taken over with the service's first message, so that a
 * refusal of it is an ordinary answer to the request.
 */
export function webSocket(exchange: Exchange, channel: ChannelRoute, call: ServiceStream, open: OpenStream): Sink {
  const { request, response, upgrade } = exchange;
  if (!upgrade) throw new Error('a WebSocket needs the connection of its request');
  const { socket, head } = upgrade;
  let accepted: WebSocket | undefined;
  let isGathering = false;
  let isCallOver = false;
  let isClosing = false;
  const holdBack = backpressure(call, open);
  call.once('status', () => (isCallOver = true));

  /** What comes together leaves together: small frames cost by the packet. */
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    socket.cork();
    setImmediate(() => {
      isGathering = false;
      socket.uncork();
    });
  };

  const send = (bytes: Buffer): void => {
    const content = channel.content(bytes);
    if (content === undefined) return;
    gather();
    accepted?.send(content);
    if (socket.writableNeedDrain) holdBack(socket);
  };

  const accept = (first: Buffer): void => {
    const headers = channel.headers(first);
    const protocol = headers.includes('Sec-WebSocket-Protocol')
      ? headers[headers.indexOf('Sec-WebSocket-Protocol') + 1]
      : undefined;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: channel.maxLength,
      // A browser that offers some fails where none of them is chosen.
      handleProtocols: (offered) => protocol || (offered.has(TOKEN_SUBPROTOCOL) && TOKEN_SUBPROTOCOL),
    });
    server.on('headers', (lines) => lines.push(`X-Request-Id: ${exchange.requestId}`));
    response.detachSocket(socket as Parameters<typeof response.detachSocket>[0]);
    server.handleUpgrade(request, socket, head, (connected) => {
      accepted = connected;
      upgrade.isDone = true;
      listen(connected);
    });
    // ws has refused a handshake that is none, and ends the connection.
    if (!accepted) response.emit('close');
  };

  /** The client's goodbye comes behind what it has said already, which nobody waits for any more: it is read, and dropped. */
  const close = (connected: WebSocket, code: number, reason?: string): void => {
    isClosing = true;
    connected.close(code, reason);
    connected.resume();
  };

  const listen = (connected: WebSocket): void => {
    exchange.interrupt = ({ status, code }) => {
      call.cancel();
      close(connected, PROBLEM_CODES + status, code);
    };
    open.heartbeat = () => connected.ping();
    connected.on('pong', () => open.moved());
    // Frames that are none: ws itself closes with the code for it.
    connected.on('error', () => undefined);
    connected.on('message', (content: Buffer, isBinary) => {
      if (isClosing) return;
      open.moved();
      if (!call.write(channel.frame(isBinary ? content : content.toString()))) connected.pause();
    });
    call.on('drain', () => {
      open.moved();
      connected.resume();
    });
    connected.on('close', (code) => {
      exchange.isOver = true;
      const finish = (): boolean => response.emit('close');
      if (isCallOver || !GOODBYES.has(code)) {
        finish();
        return;
      }
      // What the client has said before it left still reaches the service.
      endRequests(call);
      const limit = setTimeout(finish, GOODBYE_MS);
      call.once('status', () => {
        clearTimeout(limit);
        finish();
      });
    });
  };

  return {
    message(bytes) {
      open.moved();
      if (!upgrade.isDone) accept(bytes);
      send(bytes);
    },
    end: () => {
      if (accepted) close(accepted, 1000);
    },
  };
}
