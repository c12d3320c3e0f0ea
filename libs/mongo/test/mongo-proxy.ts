import { mongo } from 'mongoose';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const { deserialize, serialize } = mongo.BSON;

export type Command = Readonly<Record<string, unknown>>;

/** The answer to a command, or undefined where the server behind is to give it. May throw a `Refusal`. */
export type Answer = (command: Command) => Promise<object | undefined>;

/** An error as servers answer it. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const OP_MSG = 2013;
const HEADER = 16;

/** Stands in front of a MongoDB server and answers some commands in its place. */
export async function mongoProxy(
  backing: string,
  answer: Answer,
): Promise<{ url: string; close: () => Promise<void> }> {
  const url = new URL(backing);
  const [host, port] = [url.hostname, Number(url.port || 27_017)];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    void (async () => {
      for await (const message of messagesOf(client)) {
        const reply = await replyTo(message, answer);
        if (reply) client.write(reply);
        else upstream.write(message);
      }
    })().catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' ? address?.port : '');
  // A driver would else go around it, to the member that the server behind says it is.
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return {
    url: url.href,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function* messagesOf(socket: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of socket) {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const size = rest.readInt32LE(0);
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
    }
  }
}

async function replyTo(message: Buffer, answer: Answer): Promise<Buffer | undefined> {
  // The commands in question come as one document.
  if (message.readInt32LE(12) !== OP_MSG || message[HEADER + 4] !== 0) return undefined;
  const start = HEADER + 5;
  const size = message.readInt32LE(start);
  const command = deserialize(message.subarray(start, start + size), { promoteBuffers: false }) as Command;
  try {
    const answered = await answer(command);
    return answered && bytesOf({ ...answered, ok: 1 }, message.readInt32LE(4));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return bytesOf({ ok: 0, errmsg: error.message, code: error.code }, message.readInt32LE(4));
  }
}

function bytesOf(reply: object, responseTo: number): Buffer {
  const head = Buffer.alloc(HEADER + 5);
  const body = serialize(reply);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}
