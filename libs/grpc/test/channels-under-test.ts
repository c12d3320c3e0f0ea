import {
  Metadata,
  Server,
  ServerCredentials,
  type ChannelOptions,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
  type StatusObject,
} from '@grpc/grpc-js';
import { jest } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import {
  openChannel,
  openServiceChannel,
  type CallHeaders,
  type ServiceChannel,
  type ServiceStream,
} from '@platform-backend/grpc';
import { once } from 'node:events';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';

export type Settings = Parameters<typeof openServiceChannel>[1];

/** What both can do. */
export type Calling = Omit<ServiceChannel, 'healthy'>;

/** Flat headers as grpc-js takes them. */
export function metadataOf(headers: CallHeaders): Metadata {
  const metadata = new Metadata();
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    metadata.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

export type Open = (address: string, settings?: Settings) => Calling;

/** The gateway's channel, and the same by the client of grpc-js, which every other service calls with. */
export const CLIENTS: Record<string, Open> = {
  'the gateway’s channel': openServiceChannel,
  'the client of grpc-js': (address, settings) => {
    const channel = openChannel(address, settings);
    const asItIs = (bytes: Buffer): Buffer => bytes;
    return {
      call: (path, message, headers, ...rest) => channel.call(path, message, metadataOf(headers), ...rest),
      streams: async (deadline) => {
        const client = await channel.streams(deadline);
        return (path, headers) =>
          client.makeBidiStreamRequest(path, asItIs, asItIs, metadataOf(headers), {
            deadline,
          }) as unknown as ServiceStream;
      },
      close: () => channel.close(),
    };
  },
};

export const UNARY = '/kit.Bytes/Unary';
/** The same, which may be repeated. */
export const READ = '/kit.Bytes/Read';
export const STREAM = '/kit.Bytes/Stream';
/** A stream of requests and one answer. */
export const UP = '/kit.Bytes/Up';
/** One request and a stream of answers. */
export const DOWN = '/kit.Bytes/Down';
export const OPERATIONS = [UNARY, READ, STREAM, UP, DOWN].map((grpcPath) => ({
  service: 'kit.Bytes',
  grpcPath,
  method: grpcPath.slice(grpcPath.lastIndexOf('/') + 1),
  access: { credentials: [], services: [] },
  idempotent: grpcPath === READ,
}));

export const opened: (() => unknown)[] = [];
/** To be done after each test. */
export async function closeOpened(): Promise<void> {
  jest.restoreAllMocks();
  for (const close of opened.splice(0).reverse()) await close();
}

export const asItIs = (bytes: Buffer): Buffer => bytes;
export const definition: ServiceDefinition = Object.fromEntries(
  OPERATIONS.map(({ method, grpcPath }) => [
    method,
    {
      path: grpcPath,
      requestStream: grpcPath === STREAM || grpcPath === UP,
      responseStream: grpcPath === STREAM || grpcPath === DOWN,
      requestSerialize: asItIs,
      requestDeserialize: asItIs,
      responseSerialize: asItIs,
      responseDeserialize: asItIs,
    },
  ]),
);

export interface Handlers {
  unary?: handleUnaryCall<Buffer, Buffer>;
  stream?: handleBidiStreamingCall<Buffer, Buffer>;
  up?: handleClientStreamingCall<Buffer, Buffer>;
  down?: handleServerStreamingCall<Buffer, Buffer>;
}

/** How many streams each server has been asked for. */
export const asked = new WeakMap<Server, number>();
export const callsOf = (server: Server): number => asked.get(server) ?? 0;

/** A real server of grpc-js. */
export async function grpcServer(
  {
    unary = (call, done) => done(null, call.request),
    stream = (call) => call.on('data', (bytes: Buffer) => call.write(bytes)).on('end', () => call.end()),
    up = (call, done) => {
      let bytes = 0;
      call
        .on('data', ({ length }: Buffer) => (bytes += length))
        .on('end', () => done(null, Buffer.from(String(bytes))));
    },
    down = (call) => {
      for (let n = 1; n <= Number(String(call.request)); n += 1) call.write(Buffer.from(String(n)));
      call.end();
    },
  }: Handlers = {},
  {
    listen = '127.0.0.1:0',
    credentials = ServerCredentials.createInsecure(),
    options = {},
  }: { listen?: string; credentials?: ServerCredentials; options?: ChannelOptions } = {},
) {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1, ...options });
  const counted: typeof stream = (served) => {
    asked.set(server, callsOf(server) + 1);
    stream(served);
  };
  server.addService(definition, { Unary: unary, Read: unary, Stream: counted, Up: up, Down: down });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(listen, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  opened.push(() => server.forceShutdown());
  return { server, port, address: `127.0.0.1:${port}` };
}

/** A server of HTTP/2 that says whatever a test wants it to. */
export async function rawServer(answer: (stream: ServerHttp2Stream, path: string) => void, listen = 0) {
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answer(stream, String(headers[':path']));
  });
  server.on('session', (session) => {
    session.on('error', () => undefined);
    opened.push(() => session.destroy());
  });
  return { server, address: await listening(server, listen) };
}

export async function listening(server: TcpServer, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A way to a server that can fall silent, as a stopped process does, or break. */
export async function fragileWayTo(port: number) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const way = createServer((socket) => {
    if (isSilent) {
      // The system still takes connections, which nobody reads.
      sockets.add(socket.pause());
      return;
    }
    const onward = connect(port, '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    socket.pipe(onward).pipe(socket);
  });
  const address = await listening(way);
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    address,
    silence: () => {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut: () => {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export const frame = (text: string): Buffer => {
  const bytes = Buffer.from(`.....${text}`);
  bytes.fill(0, 0, 5);
  bytes.writeUInt32BE(bytes.length - 5, 1);
  return bytes;
};
export const OK_HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** An answer as it should be. */
export function answerWell(stream: ServerHttp2Stream, text: string): void {
  stream.respond(OK_HEADERS, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frame(text));
}

/** What the tests of every client do with it. */
export function callingBy(open: Open) {
  const channelTo = (address: string, settings: Settings = {}): Calling => {
    const channel = open(address, { operations: OPERATIONS, ...settings });
    opened.push(() => channel.close());
    return channel;
  };
  const call = (
    channel: Calling,
    message: Buffer | string = 'ask',
    { path = UNARY, headers = [] as string[], ms = 10_000 } = {},
  ) =>
    new Promise<Buffer>((resolve, reject) => {
      channel.call(path, Buffer.from(message), headers, Date.now() + ms, (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
  /** What a call fails with: the error that the gateway answers by, and the status that it comes from. */
  const failure = async (promise: Promise<unknown>) => {
    const error = (await promise.then(
      () => {
        throw new Error('It did not fail.');
      },
      (reason: unknown) => reason,
    )) as DomainError;
    const { kind, code, message, retryAfterSeconds, violations, cause } = error;
    return { kind, code, message, retryAfterSeconds, violations, status: (cause as StatusObject | undefined)?.code };
  };
  const begin = async (channel: Calling, ms = 10_000, path = STREAM) =>
    (await channel.streams(Date.now() + ms))(path, ['request-id', 'stream']);
  /** Everything that a stream says, and how it ended. */
  const heardOf = (stream: ServiceStream): Promise<{ messages: Buffer[]; failure?: StatusObject }> =>
    new Promise((resolve) => {
      const messages: Buffer[] = [];
      let failed: StatusObject | undefined;
      stream.on('data', (bytes) => messages.push(bytes));
      stream.on('error', (ending) => (failed = ending));
      stream.on('end', () => resolve({ messages, ...(failed && { failure: failed }) }));
    });
  return { channelTo, call, failure, begin, heardOf };
}
