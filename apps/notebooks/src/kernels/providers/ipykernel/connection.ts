import { randomUUID } from 'node:crypto';
import { Dealer, Request, Subscriber, type Observer } from 'zeromq';
import type { Channel, KernelMessage } from '../../domain/kernel-provider.ts';
import { fromFrames, toFrames } from './wire.ts';

/** The sockets to one kernel. */
export interface Connection {
  /** All five are connected. */
  readonly connected: Promise<void>;
  readonly send: (message: KernelMessage) => Promise<void>;
  /** Listens to iopub anew, after it was lost; resolves once it is connected. */
  readonly reopenIopub: () => Promise<void>;
  readonly close: () => void;
}

/**
 * `address` is the path of its sockets, to which a number is added; a message above `maxMessageSize` bytes ends its connection for good; `take` is given every message that is signed, and `lost` is told
 * of a connection that has ended: with its process, or by a message that is too large.
 */
export function connect(
  address: string,
  key: string,
  maxMessageSize: number,
  take: (message: KernelMessage) => void,
  lost: (channel: Channel) => void,
): Connection {
  const options = { linger: 0, maxMessageSize, reconnectInterval: 20 };
  const routingId = randomUUID();
  const asking = {
    shell: new Dealer({ ...options, routingId }),
    control: new Dealer({ ...options, routingId }),
    stdin: new Dealer({ ...options, routingId }),
  };
  const newIopub = () => new Subscriber({ ...options, receiveHighWaterMark: 10_000 });
  let iopub = newIopub();
  const heartbeat = new Request(options);
  const numbers = { shell: 1, iopub: 2, stdin: 3, control: 4, heartbeat: 5 };
  const sockets = { ...asking, iopub, heartbeat };
  // Before they connect, or the event may be over.
  const connected = Promise.all(
    Object.entries(sockets).map(([name, { events }]) =>
      handshakeOf(events, () => name !== 'heartbeat' && lost(name as Channel)),
    ),
  );
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
    async reopenIopub() {
      iopub.close();
      iopub = newIopub();
      const opened = handshakeOf(iopub.events, () => lost('iopub'));
      iopub.subscribe();
      iopub.connect(`ipc://${address}-${numbers.iopub}`);
      void read('iopub', iopub);
      await opened;
    },
    close() {
      for (const socket of [...Object.values(sockets), iopub]) if (!socket.closed) socket.close();
    },
  };
}

/** Resolves with the first handshake; `lost` is called when the other side is gone after it. */
function handshakeOf(events: Observer, lost: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const follow = async (): Promise<void> => {
    for await (const { type } of events) {
      if (type === 'handshake') resolve(undefined);
      else if (type === 'disconnect') lost();
    }
  };
  // One that was closed under its observer says nothing more.
  follow().then(
    () => resolve(undefined),
    () => resolve(undefined),
  );
  return promise;
}
