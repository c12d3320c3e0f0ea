import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection on which a test writes exactly the bytes it wants to. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  /** Everything received so far. */
  readonly received: string;
  /** Resolves with everything received, once the other side has closed the connection. */
  readonly closed: Promise<string>;
}

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  // A reset is one of the ways in which a connection ends; the tests look at what came before.
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    const done = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.once('end', done);
    socket.once('close', done);
  });
  return {
    socket,
    write: (text) => {
      if (socket.writable) socket.write(text);
    },
    get received() {
      return received;
    },
    closed,
  };
}

/** Sends these bytes and gives back whatever comes until the connection is closed. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<string> {
  const connection = await rawConnection(port);
  connection.write(bytes);
  return connection.closed;
}

/** The head of a request to create a client group, with these headers more. */
export const groupRequestHead = (token: string, ...headers: string[]): string =>
  [
    'POST /client-groups/ HTTP/1.1',
    'Host: gateway',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n');
