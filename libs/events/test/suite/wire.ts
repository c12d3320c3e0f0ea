import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Wire {
  /** Stands in for the server's address. */
  url: string;
  close(): Promise<void>;
}

export interface Interception {
  /** Asked for each piece on its way; `false` drops it and everything after it in that direction. */
  toServer?: (piece: string) => boolean;
  toClient?: (piece: string) => boolean;
}

/** A line between a client and a real NATS server that can be cut in one direction at an exact moment. */
export async function wireTo(natsUrl: string, { toServer, toClient }: Interception): Promise<Wire> {
  const { hostname, port } = new URL(natsUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    pass(client, upstream, toServer);
    pass(upstream, client, toClient);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function pass(from: Socket, to: Socket, allow: (piece: string) => boolean = () => true): void {
  let cut = false;
  from.on('data', (piece) => {
    cut ||= !allow(piece.toString('latin1'));
    if (!cut) to.write(piece);
  });
}
