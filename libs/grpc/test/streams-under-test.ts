import { afterEach } from '@jest/globals';
import { loadStreams } from '@platform-backend/contract/testing/sample-contract';
import type { CallContext, CallOptions, ObservedCall } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { thingClient, thingServer } from './thing-server.ts';

export const contract = loadStreams();
export const STREAMS = 'platform.streams.v1.StreamService';
export const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

export interface Piece {
  sampleId?: string;
  contentType?: string;
  chunk?: Uint8Array;
}
export interface Frame {
  sampleId?: string;
  frame?: { text: string } | null;
}

export interface StreamClient {
  streamAnswer: (request: object, options?: CallOptions) => AsyncIterable<{ text: string }>;
  uploadSample: (requests: AsyncIterable<Piece>, options?: CallOptions) => Promise<{ size: string }>;
  openChannel: (requests: AsyncIterable<Frame>, options?: CallOptions) => AsyncIterable<Frame>;
  close: () => void;
}

export interface StreamHandlers {
  streamAnswer: (request: { question: string }, context: CallContext) => AsyncIterable<{ text: string }>;
  uploadSample: (requests: AsyncIterable<Piece>, context: CallContext) => Promise<{ title: string; size: number }>;
  openChannel: (requests: AsyncIterable<Frame>, context: CallContext) => AsyncIterable<Frame>;
}

export const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A service with these handlers and a client of it. */
export async function connected(handlers: Partial<StreamHandlers>, options: Parameters<typeof thingServer>[1] = {}) {
  const methods = Object.keys(contract.serviceDefinition(STREAMS));
  const unexpected = Object.fromEntries(
    methods.map((method) => [
      method.charAt(0).toLowerCase() + method.slice(1),
      () => Promise.reject(new Error(method)),
    ]),
  );
  const services = [{ name: STREAMS, handlers: { ...unexpected, ...handlers } }];
  const observed: ObservedCall[] = [];
  const server = await thingServer({}, { contract, services, onCall: (call) => observed.push(call), ...options });
  opened.push(() => server.drain());
  const made: ObservedCall[] = [];
  const { close, ...client } = thingClient(server.address, {
    contract,
    service: STREAMS,
    onCall: (call) => made.push(call),
  }) as unknown as StreamClient;
  opened.push(close);
  return { client, server, observed, made };
}

export const ask = { sampleId: id, question: 'why?' };
export async function texts(answers: AsyncIterable<{ text: string }>): Promise<string[]> {
  const all: string[] = [];
  for await (const { text } of answers) all.push(text);
  return all;
}

/** Resolves when the number has stopped growing. */
export async function stalled(count: () => number): Promise<number> {
  let before = -1;
  await waitFor(
    () => {
      const now = count();
      const same = now > 0 && now === before;
      before = now;
      return same;
    },
    { interval: 250, what: 'a side that waits for the other' },
  );
  return before;
}

export const KIB_64 = Buffer.alloc(64 * 1024, 'x');
/** 64 MiB, of which the buffers on the way hold a small part. */
export const MANY = 1024;
