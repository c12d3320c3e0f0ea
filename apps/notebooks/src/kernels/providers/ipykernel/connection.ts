import { randomUUID } from 'node:crypto';
import { Dealer, Request, Subscriber, type Observer } from 'zeromq';
import type { Channel, KernelMessage } from '../../domain/kernel-provider.ts';
import { fromFrames, toFrames } from './wire.ts';

/** The sockets to one kernel. */
export interface Connection {
  /** All five are connected. */
  readonly connected: Promise<void>;
  readonly send: (message: KernelMessage) => Promise<void>;
  readonly close: () => void;
}

/** `address` is the path of its sockets, to which a number is added; `take` is given every message that is signed. */
export function connect(address: string, key: string, take: (message: KernelMessage) => void): Connection {
  // What is larger ends the connection, and what a flood of output prints in a fifth of a second is one message.
  const options = { linger: 0, maxMessageSize: 128 * 2 ** 20, reconnectInterval: 20 };
  const routingId = randomUUID();
  const asking = {
    shell: new Dealer({ ...options, routingId }),
    control: new Dealer({ ...options, routingId }),
    stdin: new Dealer({ ...options, routingId }),
  };
  const iopub = new Subscriber({ ...options, receiveHighWaterMark: 10_000 });
  const heartbeat = new Request(options);
  const numbers = { shell: 1, iopub: 2, stdin: 3, control: 4, heartbeat: 5 };
  const sockets = { ...asking, iopub, heartbeat };
  // Before they connect, or the event may be over.
  const connected = Promise.all(Object.values(sockets).map(async ({ events }) => await handshakeOf(events)));
  iopub.subscribe();
  for (const [name, socket] of Object.entries(sockets)) {
    socket.connect(`ipc://${address}-${numbers[name as keyof typeof sockets]}`);
  }

  async function read(channel: Channel, socket: AsyncIterable<Buffer[]>): Promise<void> {
    try {
      for await (const frames of socket) {
        const message = fromFrames(channel, frames, key);
        if (message) take(message);
      }
    } catch {
      // The socket was closed under its reader; the end of the process says why.
    }
  }
  for (const [name, socket] of Object.entries(asking)) void read(name as Channel, socket);
  void read('iopub', iopub);

  /** A socket sends one message at a time. */
  const last: Partial<Record<Channel, Promise<void>>> = {};
  return {
    connected: connected.then(() => undefined),
    async send(message) {
      const { channel } = message;
      if (channel === 'iopub') return;
      const sent = (last[channel] ?? Promise.resolve()).then(
        async () => await asking[channel].send(toFrames(message, key)),
      );
      last[channel] = sent.catch(() => undefined);
      await sent;
    },
    close() {
      for (const socket of Object.values(sockets)) if (!socket.closed) socket.close();
    },
  };
}

async function handshakeOf(events: Observer): Promise<void> {
  for await (const { type } of events) if (type === 'handshake') return;
}
