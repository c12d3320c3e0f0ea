/** Reads streams over the gateway's own channel or over grpc-js, whenever its parent tells it to. */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { openServiceChannel } from '@platform-backend/grpc';
import { once } from 'node:events';
import { serveLoads, type Load } from '../caller-process.ts';
import { READ } from './stream-paths.ts';

export type StreamVariant = 'own' | 'grpc-js';

export interface StreamLoad extends Load {
  /** Of each stream. */
  readonly messages: number;
}

export interface StreamCallerOptions {
  readonly address: string;
}

const DEADLINE_MS = 60_000;
/** What the gateway sends with each call. */
const HEADERS = ['caller-assertion', 'a'.repeat(600), 'request-id', '0199a000-0000-7000-8000-000000000002'];

type ReadStream = (asked: Buffer) => Promise<number>;

function overOwnChannel(address: string): ReadStream {
  const channel = openServiceChannel(address);
  return async (asked) => {
    const begin = await channel.streams(Date.now() + DEADLINE_MS);
    const stream = begin(READ, HEADERS);
    let read = 0;
    stream.on('data', () => (read += 1));
    stream.write(asked);
    stream.end();
    await once(stream, 'end');
    return read;
  };
}

function overGrpcJs(address: string): ReadStream {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc-node.flow_control_window': 256 * 1024,
  });
  const asItIs = (bytes: Buffer): Buffer => bytes;
  return async (asked) => {
    const metadata = new Metadata();
    for (let at = 0; at < HEADERS.length; at += 2) metadata.set(HEADERS[at] ?? '', HEADERS[at + 1] ?? '');
    const stream = client.makeServerStreamRequest(READ, asItIs, asItIs, asked, metadata, {
      deadline: Date.now() + DEADLINE_MS,
    });
    let read = 0;
    stream.on('data', () => (read += 1));
    await once(stream, 'end');
    return read;
  };
}

serveLoads(({ variant, address }: StreamCallerOptions & { readonly variant: StreamVariant }) => {
  const read = variant === 'own' ? overOwnChannel(address) : overGrpcJs(address);
  return ({ messages }: StreamLoad) => {
    const asked = Buffer.from(String(messages));
    return async () => {
      const heard = await read(asked);
      if (heard !== messages) throw new Error(`a stream had ${heard} messages of ${messages}`);
    };
  };
});
