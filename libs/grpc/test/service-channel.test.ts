import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ChannelOptions,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
  type StatusObject,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import {
  openChannel,
  openServiceChannel,
  type CallHeaders,
  type ServiceChannel,
  type ServiceStream,
} from '@platform-backend/grpc';
import { certificates, waitFor } from '@platform-backend/testing';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

type Settings = Parameters<typeof openServiceChannel>[1];

/** What both can do. */
type Calling = Omit<ServiceChannel, 'healthy'>;

/** Flat headers as grpc-js takes them. */
function metadataOf(headers: CallHeaders): Metadata {
  const metadata = new Metadata();
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    metadata.add(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

/** The gateway's channel, and the same by the client of grpc-js, which every other service calls with. */
const CLIENTS: Record<string, (address: string, settings?: Settings) => Calling> = {
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

const UNARY = '/kit.Bytes/Unary';
/** The same, which may be repeated. */
const READ = '/kit.Bytes/Read';
const STREAM = '/kit.Bytes/Stream';
/** A stream of requests and one answer. */
const UP = '/kit.Bytes/Up';
/** One request and a stream of answers. */
const DOWN = '/kit.Bytes/Down';
const OPERATIONS = [UNARY, READ, STREAM, UP, DOWN].map((grpcPath) => ({
  service: 'kit.Bytes',
  grpcPath,
  method: grpcPath.slice(grpcPath.lastIndexOf('/') + 1),
  access: { credentials: [], services: [] },
  idempotent: grpcPath === READ,
}));

const opened: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of opened.splice(0).reverse()) await close();
});

const asItIs = (bytes: Buffer): Buffer => bytes;
const definition: ServiceDefinition = Object.fromEntries(
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

interface Handlers {
  unary?: handleUnaryCall<Buffer, Buffer>;
  stream?: handleBidiStreamingCall<Buffer, Buffer>;
  up?: handleClientStreamingCall<Buffer, Buffer>;
  down?: handleServerStreamingCall<Buffer, Buffer>;
}

/** How many streams each server has been asked for. */
const asked = new WeakMap<Server, number>();
const callsOf = (server: Server): number => asked.get(server) ?? 0;

/** A real server of grpc-js. */
async function grpcServer(
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
async function rawServer(answer: (stream: ServerHttp2Stream, path: string) => void, listen = 0) {
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

async function listening(server: TcpServer, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A way to a server that can fall silent or break. */
async function fragileWayTo(port: number) {
  const sockets = new Set<Socket>();
  const way = createServer((socket) => {
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
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut: () => {
      way.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const frame = (text: string): Buffer => {
  const bytes = Buffer.from(`.....${text}`);
  bytes.fill(0, 0, 5);
  bytes.writeUInt32BE(bytes.length - 5, 1);
  return bytes;
};
const OK_HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** An answer as it should be. */
function answerWell(stream: ServerHttp2Stream, text: string): void {
  stream.respond(OK_HEADERS, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frame(text));
}

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
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

  describe('with a server of grpc-js', () => {
    it('carries bytes both ways, however many, and metadata', async () => {
      let seen: Metadata | undefined;
      const { address } = await grpcServer({
        unary: ({ request, metadata }, done) => {
          seen = metadata;
          done(null, request);
        },
      });
      const channel = channelTo(address);
      const headers = ['request-id', 'r1', 'bytes-bin', Buffer.from([0, 255, 1]).toString('base64')];
      expect(String(await call(channel, 'hello', { headers }))).toBe('hello');
      expect(seen?.get('request-id')).toEqual(['r1']);
      expect(seen?.get('bytes-bin')).toEqual([Buffer.from([0, 255, 1])]);
      expect(await call(channel, '')).toHaveLength(0);
      const large = Buffer.alloc(3 * 1024 * 1024, 'abcdefg');
      expect((await call(channel, large)).equals(large)).toBe(true);
    });

    it('tells every status, with its text and its metadata, binary too', async () => {
      const codes = Object.values(status).filter((each) => typeof each === 'number' && each !== status.OK);
      const { address } = await grpcServer({
        unary: ({ request }, done) => {
          const metadata = new Metadata();
          metadata.set('error-kind', 'conflict');
          metadata.set('error-code', 'taken');
          metadata.set('retry-after', '7');
          metadata.set('violations-bin', Buffer.from('[{"msg":"süß"}]'));
          const code = codes.find((each) => String(each) === String(request)) ?? status.OK;
          done({ code, details: 'Täken, 100% 漢', metadata });
        },
      });
      const channel = channelTo(address);
      expect(codes).toHaveLength(16);
      for (const code of codes) {
        expect(await failure(call(channel, String(code)))).toEqual({
          kind: 'conflict',
          code: 'taken',
          message: 'Täken, 100% 漢',
          retryAfterSeconds: 7,
          violations: [{ msg: 'süß' }],
          status: code,
        });
      }
    });

    it('ends a call at its deadline, which the service knows', async () => {
      const facts: { left?: number; isCancelled?: boolean } = {};
      const { address } = await grpcServer({
        unary: (served) => {
          facts.left = Number(served.getDeadline()) - Date.now();
          served.on('cancelled', () => (facts.isCancelled = true));
        },
      });
      const channel = channelTo(address);
      const begun = performance.now();
      expect(await failure(call(channel, 'ask', { ms: 300 }))).toMatchObject({ kind: 'deadline_exceeded', status: 4 });
      expect(performance.now() - begun).toBeGreaterThan(290);
      expect(facts.left).toBeGreaterThan(0);
      expect(facts.left).toBeLessThanOrEqual(310);
      await waitFor(() => facts.isCancelled === true);
    });

    it('gives a call up when it is told to, and the service hears of it', async () => {
      let served = false;
      let isCancelled = false;
      const { address } = await grpcServer({
        unary: (each) => {
          served = true;
          each.on('cancelled', () => (isCancelled = true));
        },
      });
      const ended = Promise.withResolvers<Error | undefined>();
      const giveUp = channelTo(address).call(UNARY, Buffer.from('ask'), [], Date.now() + 10_000, (error) =>
        ended.resolve(error),
      );
      await waitFor(() => served);
      giveUp();
      expect(await ended.promise).toMatchObject({ kind: 'unavailable', cause: { code: status.CANCELLED } });
      await waitFor(() => isCancelled);
    });

    it('takes no message that is larger than may be, either way', async () => {
      const { address } = await grpcServer({ unary: (_call, done) => done(null, Buffer.alloc(33 * 1024 * 1024)) });
      const channel = channelTo(address);
      expect(await failure(call(channel))).toMatchObject({ kind: 'internal', status: 8 });
      expect(await failure(call(channel, Buffer.alloc(33 * 1024 * 1024)))).toMatchObject({
        kind: 'internal',
        status: 8,
      });
    });

    it('streams answers no faster than they are read', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const many = 400;
      let written = 0;
      const { address } = await grpcServer({
        stream: (served) => {
          const more = (): void => {
            while (written < many) {
              written += 1;
              if (!served.write(piece)) {
                served.once('drain', more);
                return;
              }
            }
            served.end();
          };
          more();
        },
      });
      const stream = await begin(channelTo(address));
      let read = 0;
      let isEnded = false;
      stream.on('data', () => {
        read += 1;
        if (read === 1) stream.pause();
      });
      stream.on('end', () => (isEnded = true));
      stream.end();
      await waitFor(() => read > 0);
      let before = -1;
      await waitFor(
        () => {
          const stays = written === before;
          before = written;
          return stays;
        },
        { interval: 100 },
      );
      expect(written).toBeLessThan(many / 4);
      expect(read).toBeLessThan(many / 8);
      stream.resume();
      await waitFor(() => isEnded);
      expect(read).toBe(many);
    });

    it('streams requests no faster than they are read', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const many = 400;
      const reading = Promise.withResolvers<undefined>();
      const { address } = await grpcServer({
        stream: (served) => {
          let read = 0;
          void reading.promise.then(() => {
            served.on('data', () => (read += 1));
            served.on('end', () => {
              served.write(Buffer.from(String(read)));
              served.end();
            });
          });
        },
      });
      const stream = await begin(channelTo(address));
      const heard = heardOf(stream);
      let written = 0;
      const more = (): void => {
        while (written < many) {
          written += 1;
          if (!stream.write(piece)) {
            stream.once('drain', more);
            return;
          }
        }
        stream.end();
      };
      more();
      let before = -1;
      await waitFor(
        () => {
          const stays = written === before;
          before = written;
          return stays;
        },
        { interval: 100 },
      );
      expect(written).toBeLessThan(many / 4);
      reading.resolve(undefined);
      expect((await heard).messages.map(String)).toEqual([String(many)]);
    });

    it('lets a service answer after the last request, and end before it', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', (bytes: Buffer) => {
            if (String(bytes) === 'enough') {
              served.write(Buffer.from('bye'));
              served.end();
            } else served.on('end', () => (served.write(Buffer.from('after')), served.end())).resume();
          });
        },
      });
      const channel = channelTo(address);
      const patient = await begin(channel);
      const late = heardOf(patient);
      patient.write(Buffer.from('first'));
      patient.end();
      expect((await late).messages.map(String)).toEqual(['after']);

      const impatient = await begin(channel);
      const early = heardOf(impatient);
      impatient.write(Buffer.from('enough'));
      expect(await early).toMatchObject({ messages: [Buffer.from('bye')] });
      expect((await early).failure).toBeUndefined();
      // Nobody reads it, and nothing comes of it.
      impatient.write(Buffer.from('more'));
      impatient.end();
    });

    it('leaves room for others on its connection when a service ends streams whose requests it has not read', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', () => served.emit('error', { code: status.INVALID_ARGUMENT, details: 'enough' }));
        },
      });
      const channel = channelTo(address);
      for (let round = 0; round < 20; round += 1) {
        const streams = await Promise.all(
          [1, 2, 3, 4].map(async () => {
            const stream = await begin(channel, 5_000);
            const heard = heardOf(stream);
            for (const bytes of [70_000, 60_000, 1]) stream.write(Buffer.alloc(bytes));
            return (await heard).failure;
          }),
        );
        for (const failed of streams) expect(failed).toMatchObject({ code: status.INVALID_ARGUMENT });
      }
    });

    it('tells of a failure behind the messages that came before it', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.write(Buffer.from('one'));
          served.write(Buffer.from('two'));
          served.emit('error', { code: status.ABORTED, details: 'gone', metadata: new Metadata() });
        },
      });
      const { messages, failure: failed } = await heardOf(await begin(channelTo(address)));
      expect(messages.map(String)).toEqual(['one', 'two']);
      expect(failed).toMatchObject({ code: status.ABORTED, details: 'gone' });
    });

    it('streams in one direction alone, either way', async () => {
      const { address } = await grpcServer();
      const channel = channelTo(address);
      const up = await begin(channel, 10_000, UP);
      const total = heardOf(up);
      for (const bytes of [1, 70_000, 0, 300_000]) up.write(Buffer.alloc(bytes));
      up.end();
      expect(await total).toEqual({ messages: [Buffer.from('370001')] });
      const down = await begin(channel, 10_000, DOWN);
      const answers = heardOf(down);
      down.write(Buffer.from('1000'));
      down.end();
      expect((await answers).messages.map(String)).toEqual(Array.from({ length: 1000 }, (_, n) => String(n + 1)));
    });

    it.each([UP, DOWN, STREAM])(
      'ends %s at its deadline and when it is given up, and the service hears of it',
      async (path) => {
        const unwantedCall = { isServed: false, isCancelled: false };
        const stuck = (served: {
          on(event: 'cancelled', listener: () => void): unknown;
          getDeadline(): unknown;
        }): void => {
          // The late one may reach a busy server when it is over.
          if (Number(served.getDeadline()) - Date.now() < 10_000) return;
          unwantedCall.isServed = true;
          served.on('cancelled', () => (unwantedCall.isCancelled = true));
        };
        const { address } = await grpcServer({ up: stuck, down: stuck, stream: stuck });
        const channel = channelTo(address);
        const ask = async (ms: number): Promise<ServiceStream> => {
          const stream = await begin(channel, ms, path);
          stream.write(Buffer.from('ask'));
          if (path === DOWN) stream.end();
          return stream;
        };
        expect((await heardOf(await ask(400))).failure?.code).toBe(status.DEADLINE_EXCEEDED);
        const unwanted = await ask(60_000);
        const ended = heardOf(unwanted);
        await waitFor(() => unwantedCall.isServed);
        unwanted.cancel();
        expect((await ended).failure?.code).toBe(status.CANCELLED);
        await waitFor(() => unwantedCall.isCancelled);
      },
    );

    it('ends at its deadline and when it is given up, also while either side is held back', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          for (let n = 0; n < 100; n += 1) served.write(Buffer.alloc(64 * 1024));
        },
      });
      const channel = channelTo(address);
      for (const code of [status.DEADLINE_EXCEEDED, status.CANCELLED]) {
        const stream = await begin(channel, code === status.CANCELLED ? 30_000 : 500);
        const heard = heardOf(stream);
        // An error is told at once, and the end behind all that came before.
        stream.once('error', () => stream.resume());
        stream.once('data', () => {
          stream.pause();
          let hasRoom = true;
          while (hasRoom) hasRoom = stream.write(Buffer.alloc(64 * 1024));
          if (code === status.CANCELLED) stream.cancel();
        });
        expect((await heard).failure?.code).toBe(code);
      }
    });

    it('tells whoever is held back that the service has ended, which makes no more room', async () => {
      const { address } = await grpcServer({
        stream: (served) => {
          served.once('data', (bytes: Buffer) => {
            if (bytes.length > 0) served.emit('error', { code: status.INVALID_ARGUMENT, details: 'enough' });
            else served.end();
          });
        },
      });
      const channel = channelTo(address);
      for (const [first, code] of [
        ['', undefined],
        ['x', status.INVALID_ARGUMENT],
      ] as const) {
        const stream = await begin(channel);
        const heard = heardOf(stream);
        stream.write(Buffer.from(first));
        let hasRoom = true;
        while (hasRoom) hasRoom = stream.write(Buffer.alloc(64 * 1024));
        expect((await heard).failure?.code).toBe(code);
        // Whatever is said behind the end is dropped.
        stream.write(Buffer.alloc(1024 * 1024));
        stream.end();
        stream.cancel();
      }
    });

    it('streams no message that is larger than may be, either way', async () => {
      const { address } = await grpcServer({ down: (served) => void served.write(Buffer.alloc(33 * 1024 * 1024)) });
      const channel = channelTo(address);
      const up = await begin(channel, 10_000, UP);
      const refused = heardOf(up);
      up.write(Buffer.alloc(33 * 1024 * 1024));
      expect((await refused).failure?.code).toBe(status.RESOURCE_EXHAUSTED);
      const down = await begin(channel, 10_000, DOWN);
      const unread = heardOf(down);
      down.write(Buffer.from('ask'));
      down.end();
      expect(await unread).toMatchObject({ messages: [], failure: { code: status.RESOURCE_EXHAUSTED } });
      // The connection is as good as before.
      const again = await begin(channel, 10_000, UP);
      const whole = heardOf(again);
      again.write(Buffer.alloc(1024 * 1024));
      again.end();
      expect((await whole).messages.map(String)).toEqual([String(1024 * 1024)]);
    });

    it('lets a stream go on at a server that says goodbye', async () => {
      const { address, server } = await grpcServer();
      const stream = await begin(channelTo(address), 30_000);
      const heard = heardOf(stream);
      stream.write(Buffer.from('hello'));
      await once(stream, 'data');
      server.tryShutdown(() => undefined);
      await delay(100);
      stream.write(Buffer.from('bye'));
      stream.end();
      expect((await heard).messages.map(String)).toEqual(['hello', 'bye']);
    });

    it('lets a call end on a server that says goodbye', async () => {
      const served = Promise.withResolvers<() => void>();
      const { address, server } = await grpcServer({
        unary: ({ request }, done) => served.resolve(() => done(null, request)),
      });
      const channel = channelTo(address);
      const answer = call(channel, 'last');
      const finish = await served.promise;
      server.tryShutdown(() => undefined);
      finish();
      expect(String(await answer)).toBe('last');
      await waitFor(async () => (await failure(call(channel)).catch(() => undefined))?.kind === 'unavailable');
    });
  });

  describe('with a server that says what it likes', () => {
    const answered = async (answer: (stream: ServerHttp2Stream) => void, message: Buffer | string = 'ask') => {
      const { address } = await rawServer(answer);
      return call(channelTo(address), message);
    };

    it('reads a status that comes without an answer', async () => {
      const only = { ...OK_HEADERS, 'grpc-status': '5', 'grpc-message': 'no%20such', 'error-kind': 'not_found' };
      expect(await failure(answered((stream) => stream.respond(only, { endStream: true })))).toMatchObject({
        kind: 'not_found',
        message: 'no such',
        status: 5,
      });
      const broken = { ...only, 'grpc-message': '100% sure' };
      expect(await failure(answered((stream) => stream.respond(broken, { endStream: true })))).toMatchObject({
        message: '100% sure',
      });
    });

    it('takes an answer without a status for a mistake of the service', async () => {
      const kinds: string[] = [];
      for (const answer of [
        (stream: ServerHttp2Stream) => stream.respond(OK_HEADERS, { endStream: true }),
        (stream: ServerHttp2Stream) => (stream.respond(OK_HEADERS), stream.end(frame('half'))),
        (stream: ServerHttp2Stream) => stream.respond({ ...OK_HEADERS, 'grpc-status': 'x' }, { endStream: true }),
      ])
        kinds.push((await failure(answered(answer))).kind);
      expect(kinds).toEqual(['internal', 'internal', 'internal']);
    });

    it('knows the answers of proxies', async () => {
      const codes: Record<number, number | undefined> = {};
      for (const http of [400, 401, 403, 404, 429, 500, 502, 503, 504]) {
        const page = (stream: ServerHttp2Stream) => {
          stream.respond({ ':status': http, 'content-type': 'text/html' });
          stream.end('<html>It is not here.</html>');
        };
        codes[http] = (await failure(answered(page))).status;
      }
      expect(codes).toEqual({ 400: 13, 401: 16, 403: 7, 404: 12, 429: 14, 500: 2, 502: 14, 503: 14, 504: 14 });
    });

    it('knows why a stream is cut off', async () => {
      const codes: Record<number, number | undefined> = {};
      for (const code of [0, 1, 2, 8, 11, 12]) {
        const cut = (stream: ServerHttp2Stream) => stream.close(code);
        codes[code] = (await failure(answered(cut))).status;
      }
      expect(codes).toEqual({ 0: 13, 1: 13, 2: 13, 8: 1, 11: 8, 12: 7 });
    });

    it('reads messages however they are cut, and none that are absent or compressed', async () => {
      const inPieces = await answered((stream) => {
        stream.respond(OK_HEADERS, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        const bytes = frame('piece by piece');
        const next = (at: number): void => {
          if (at === bytes.length) stream.end();
          else stream.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
        };
        next(0);
      });
      expect(String(inPieces)).toBe('piece by piece');
      const withBody = (body: Buffer) => (stream: ServerHttp2Stream) => {
        stream.respond(OK_HEADERS, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(body);
      };
      const compressed = frame('z');
      compressed[0] = 1;
      const kindOf = async (body: Buffer) => (await failure(answered(withBody(body)))).kind;
      expect(await kindOf(Buffer.alloc(0))).toBe('unavailable');
      expect(await kindOf(compressed)).toBe('internal');
    });

    it('knows how a stream ended, however that is said', async () => {
      const ends: Record<string, [string[], number | undefined]> = {};
      const answers: Record<string, (stream: ServerHttp2Stream) => void> = {
        'without an answer': (stream) => stream.respond({ ...OK_HEADERS, 'grpc-status': '7' }, { endStream: true }),
        'without a status': (stream) => (stream.respond(OK_HEADERS), stream.end(frame('said'))),
        'by a proxy': (stream) => (stream.respond({ ':status': 503 }), stream.end('<html>It is not here.</html>')),
        'cut off before': (stream) => stream.close(8),
        'cut off behind a message': (stream) => {
          stream.respond(OK_HEADERS);
          stream.write(frame('said'), () => stream.close(2));
        },
        'with its connection': (stream) => {
          stream.respond(OK_HEADERS);
          stream.write(frame('said'), () => stream.session?.destroy());
        },
      };
      for (const [name, answer] of Object.entries(answers)) {
        const { address } = await rawServer(answer);
        const stream = await begin(channelTo(address));
        const heard = heardOf(stream);
        stream.write(Buffer.from('ask'));
        const { messages, failure: failed } = await heard;
        ends[name] = [messages.map(String), failed?.code];
      }
      expect(ends).toMatchObject({
        'without an answer': [[], status.PERMISSION_DENIED],
        'without a status': [['said'], expect.anything()],
        'by a proxy': [[], status.UNAVAILABLE],
        'cut off before': [[], status.CANCELLED],
        'cut off behind a message': [expect.anything(), status.INTERNAL],
        'with its connection': [expect.anything(), status.UNAVAILABLE],
      });
    });

    it('makes a call again that was refused before anybody saw it', async () => {
      let refusals = 0;
      let handled = 0;
      const { address } = await rawServer((stream) => {
        if (refusals === 0) {
          refusals += 1;
          stream.close(7);
        } else {
          handled += 1;
          answerWell(stream, 'taken');
        }
      });
      expect(String(await call(channelTo(address)))).toBe('taken');
      expect({ refusals, handled }).toEqual({ refusals: 1, handled: 1 });
    });

    it('says so when it is refused for ever', async () => {
      expect(await failure(answered((stream) => stream.close(7)))).toMatchObject({ kind: 'unavailable', status: 14 });
    });

    it('makes a call again that was behind the last one of a server that goes, and lets the last one end', async () => {
      const { address: other } = await rawServer((stream) => answerWell(stream, 'other'));
      const streams: ServerHttp2Stream[] = [];
      const { address } = await rawServer((stream) => {
        streams.push(stream);
        const [first, second] = streams;
        if (!first || !second || stream !== second) return;
        first.session?.goaway(0, first.id);
        setImmediate(() => answerWell(first, 'going'));
      });
      const channel = channelTo(`${address},${other}`);
      const answers: string[] = [];
      // Until both replicas are connected some of them go to the one that stays.
      await waitFor(async () => {
        answers.push(
          ...(await Promise.all(['a', 'b', 'c', 'd'].map(async (each) => String(await call(channel, each))))),
        );
        return answers.includes('going');
      });
      expect(new Set(answers)).toEqual(new Set(['going', 'other']));
    });

    it('has no answer of a connection that breaks', async () => {
      const { address } = await rawServer((stream) => stream.session?.destroy());
      expect(await failure(call(channelTo(address)))).toMatchObject({
        kind: 'unavailable',
        retryAfterSeconds: 1,
        status: 14,
      });
    });

    it('gives up where nobody speaks', async () => {
      const mute = createServer((socket) => {
        socket.on('error', () => undefined);
        opened.push(() => socket.destroy());
      });
      const address = await listening(mute);
      const begun = performance.now();
      expect((await failure(call(channelTo(address)))).kind).toBe('unavailable');
      expect(performance.now() - begun).toBeLessThan(5_000);
      await expect(channelTo(address).streams(Date.now() + 10_000)).rejects.toMatchObject({ kind: 'unavailable' });
    });

    it('says at once that nobody listens', async () => {
      const channel = channelTo('127.0.0.1:1');
      expect((await failure(call(channel))).kind).toBe('unavailable');
      const begun = performance.now();
      expect((await failure(call(channel))).kind).toBe('unavailable');
      expect(performance.now() - begun).toBeLessThan(1_000);
    });

    it('comes back to a service that does', async () => {
      const { address, server } = await grpcServer();
      const channel = channelTo(address);
      await call(channel);
      server.forceShutdown();
      await waitFor(async () => (await call(channel).catch((error: unknown) => error)) instanceof Error);
      await grpcServer({}, { listen: address });
      await waitFor(async () => String(await call(channel, 'again').catch(() => '')) === 'again');
    });
  });

  describe('with several replicas', () => {
    const named = (name: string, handlers: Handlers = {}) =>
      grpcServer({ unary: (_call, done) => done(null, Buffer.from(name)), ...handlers });
    const everybody = async (channel: Calling, names: readonly string[]): Promise<void> => {
      const heard = new Set<string>();
      await waitFor(async () => {
        for (const answer of await Promise.all(names.map(() => call(channel)))) heard.add(String(answer));
        return names.every((name) => heard.has(name));
      });
    };

    it('uses all of them', async () => {
      const servers = await Promise.all(['one', 'two', 'three'].map((name) => named(name)));
      await everybody(channelTo(servers.map(({ address }) => address).join(',')), ['one', 'two', 'three']);
    });

    it('follows a name whose replica moves, and lets its last call end', async () => {
      const served = Promise.withResolvers<() => void>();
      const first = await grpcServer({
        unary: ({ request }, done) => {
          if (String(request) === 'slow') served.resolve(() => done(null, Buffer.from('first')));
          else done(null, Buffer.from('first'));
        },
      });
      const lookup = jest.spyOn(dns, 'lookup') as unknown as jest.Mock<() => Promise<object>>;
      let address = '127.0.0.1';
      lookup.mockImplementation(() => Promise.resolve([{ address, family: 4 }]));
      const channel = channelTo(`dns:///bytes.internal:${first.port}`, { connectLimitMs: 60_000 });
      expect(String(await call(channel))).toBe('first');
      const last = call(channel, 'slow', { ms: 60_000 });
      const finish = await served.promise;
      await grpcServer(
        { unary: (_call, done) => done(null, Buffer.from('second')) },
        { listen: `127.0.0.2:${first.port}` },
      );
      address = '127.0.0.2';
      await waitFor(async () => String(await call(channel)) === 'second');
      finish();
      expect(String(await last)).toBe('first');
    });

    it('makes an idempotent call again whose replica is lost, and no other', async () => {
      const stuck: string[] = [];
      let isDoomed = false;
      let handled = 0;
      const doomed = await grpcServer({
        unary: ({ request }, done) => {
          if (isDoomed) stuck.push(String(request));
          else done(null, Buffer.from('doomed'));
        },
      });
      const other = await grpcServer({
        unary: (_call, done) => {
          if (isDoomed) handled += 1;
          done(null, Buffer.from('other'));
        },
      });
      const way = await fragileWayTo(doomed.port);
      const channel = channelTo(`${way.address},${other.address}`);
      await everybody(channel, ['doomed', 'other']);
      isDoomed = true;
      const many = Array.from({ length: 10 }, (_, n) => n);
      const reads = Promise.all(many.map(() => call(channel, 'read', { path: READ })));
      const changes = Promise.all(many.map(() => call(channel, 'change').catch((error: unknown) => error)));
      await waitFor(() => stuck.length + handled === 20, { what: 'every call to have arrived' });
      way.cut();
      expect(new Set((await reads).map(String))).toEqual(new Set(['other']));
      const lost = (await changes).filter((each) => each instanceof Error);
      for (const each of lost) expect(each).toMatchObject({ kind: 'unavailable' });
      expect(lost).toHaveLength(stuck.filter((each) => each === 'change').length);
      expect(lost.length).toBeGreaterThan(0);
    });

    it('loses no call while they are restarted in turn', async () => {
      const replicas = [await named('one'), await named('two')];
      const channel = channelTo(replicas.map(({ address }) => address).join(','));
      await everybody(channel, ['one', 'two']);
      const failures: unknown[] = [];
      let restarting = true;
      const callers = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (restarting) await call(channel).catch((error: unknown) => failures.push(error));
        }),
      );
      for (const index of [0, 1]) {
        const { server, address } = replicas[index] as (typeof replicas)[number];
        await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
        await grpcServer({ unary: (_call, done) => done(null, Buffer.from('again')) }, { listen: address });
        await waitFor(async () => String(await call(channel)) === 'again');
      }
      restarting = false;
      await callers;
      expect(failures).toEqual([]);
    });
  });

  it('speaks TLS with replicas that bear a name of the address, and with no others', async () => {
    const authority = await certificates();
    opened.push(() => authority.remove());
    const [own, good, bad] = await Promise.all([
      authority.issue('client'),
      authority.issue('good', 'localhost'),
      authority.issue('bad', 'elsewhere.example'),
    ]);
    const secure = async (name: string, files: typeof own) =>
      grpcServer(
        { unary: (_call, done) => done(null, Buffer.from(name)) },
        {
          credentials: ServerCredentials.createSsl(
            readFileSync(files.authority),
            [{ cert_chain: readFileSync(files.certificate), private_key: readFileSync(files.key) }],
            true,
          ),
        },
      );
    const [ours, stranger] = [await secure('ours', good), await secure('stranger', bad)];
    const [at, elsewhere] = [`localhost:${ours.port}`, `localhost:${stranger.port}`];
    expect(String(await call(channelTo(at, { tls: own })))).toBe('ours');
    expect((await failure(call(channelTo(elsewhere, { tls: own })))).kind).toBe('unavailable');
    expect((await failure(call(channelTo(at)))).kind).toBe('unavailable');
    const both = channelTo(`${at},${elsewhere}`, { tls: own });
    for (let n = 0; n < 6; n += 1) expect(String(await call(both))).toBe('ours');
  });
});

/** However it ended. */
const endOf = (stream: ServiceStream): Promise<void> => new Promise((resolve) => stream.on('end', resolve));

describe('the gateway’s channel alone', () => {
  const channelTo = (address: string, settings: Settings = {}): ServiceChannel => {
    const channel = openServiceChannel(address, { operations: OPERATIONS, ...settings });
    opened.push(() => channel.close());
    return channel;
  };
  const call = (channel: ServiceChannel, ms = 10_000): Promise<string> =>
    new Promise((resolve, reject) => {
      channel.call(UNARY, Buffer.from('ask'), [], Date.now() + ms, (error, answer) =>
        error ? reject(error) : resolve(String(answer)),
      );
    });

  it('has no calls any more when it is closed', async () => {
    const served = Promise.withResolvers<undefined>();
    const { address } = await grpcServer({ unary: () => served.resolve(undefined) });
    const channel = channelTo(address);
    const running = call(channel);
    await served.promise;
    channel.close();
    await expect(running).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(call(channel)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('begins no stream any more when it is closed, and waits for the end of none', async () => {
    const { address } = await grpcServer();
    const channel = channelTo(address);
    const begin = await channel.streams(Date.now() + 1_000);
    channel.close();
    // Whichever it is, nothing is left that would fail at the deadline.
    const ended = await new Promise<unknown>((resolve) => {
      try {
        begin(STREAM, []).on('error', resolve);
      } catch (error) {
        resolve(error);
      }
    });
    expect(ended).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('asks for its health', async () => {
    const { address } = await rawServer((stream) => {
      stream.respond(OK_HEADERS, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
    });
    expect(await channelTo(address).healthy(5_000)).toBe(true);
    const { address: other } = await grpcServer();
    expect(await channelTo(other).healthy(5_000)).toBe(false);
    expect(await channelTo('127.0.0.1:1').healthy(5_000)).toBe(false);
  });

  it('takes several answers, or one that is cut off, for a mistake', async () => {
    const bodies = [
      [frame('one'), frame('two')],
      [frame('cut off').subarray(0, 8)],
      [frame('whole'), frame('cut off').subarray(0, 8)],
    ];
    let body = 0;
    const { address } = await rawServer((stream) => {
      stream.respond(OK_HEADERS, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.concat(bodies[body] ?? []));
    });
    const channel = channelTo(address);
    for (body = 0; body < 2; body += 1) await expect(call(channel)).rejects.toMatchObject({ kind: 'internal' });
    const stream = (await channel.streams(Date.now() + 10_000))(STREAM, []);
    const failed = once(stream, 'error');
    stream.end();
    expect(await failed).toMatchObject([{ code: status.INTERNAL }]);
  });

  it('has all messages of a stream whose connection goes when they have come and not all are read', async () => {
    const { address } = await rawServer((stream) => {
      stream.respond(OK_HEADERS, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.write(frame('first'));
      stream.once('data', () => stream.end(Buffer.concat(Array.from({ length: 8 }, () => frame('x'.repeat(10_000))))));
    });
    const way = await fragileWayTo(Number(new URL(`http://${address}`).port));
    const stream = (await channelTo(way.address).streams(Date.now() + 10_000))(STREAM, []);
    const said = once(stream, 'status');
    const ended = once(stream, 'end');
    const failed = jest.fn();
    stream.on('error', failed);
    let read = 0;
    stream.on('data', () => (read += 1));
    stream.once('data', () => {
      stream.pause();
      stream.write(Buffer.from('go on'));
      stream.end();
    });
    expect(await said).toMatchObject([{ code: status.OK }]);
    expect(read).toBeLessThan(9);
    way.cut();
    await ended;
    expect([read, failed.mock.calls]).toEqual([9, []]);
  });

  it.each(['ended', 'reset'] as const)(
    'has no answer, but for a service that is away, of a connection that is %s after any byte',
    async (how) => {
      const { port } = await grpcServer({ unary: (_call, done) => done(null, Buffer.from('an answer')) });
      let bytesLeft = Infinity;
      const way = createServer((socket) => {
        const onward = connect(port, '127.0.0.1').on('error', () => undefined);
        socket.on('error', () => undefined).pipe(onward);
        onward.on('data', (bytes: Buffer) => {
          socket.write(bytes.subarray(0, bytesLeft));
          bytesLeft -= bytes.length;
          if (bytesLeft > 0) return;
          onward.destroy();
          // Behind the bytes that were let through.
          socket.write('', () => (how === 'reset' ? socket.resetAndDestroy() : socket.end()));
        });
        opened.push(() => socket.destroy());
      });
      const channel = channelTo(await listening(way));
      const ends = new Set<unknown>();
      for (let bytes = 1; bytes < 120; bytes += 7) {
        bytesLeft = Infinity;
        await waitFor(() =>
          call(channel, 5_000)
            .then(() => true)
            .catch(() => false),
        );
        bytesLeft = bytes;
        ends.add(await call(channel, 5_000).catch((error: unknown) => (error as DomainError).kind));
      }
      expect([...ends].filter((end) => end !== 'an answer')).toEqual(['unavailable']);
    },
  );

  it('begins a stream again that was refused before anybody saw it, unless too much was sent of it', async () => {
    let refusals = 0;
    const { address } = await rawServer((stream) => {
      if (refusals > 0) {
        refusals -= 1;
        stream.close(7);
        return;
      }
      const pieces: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => pieces.push(bytes));
      stream.on('end', () => answerWell(stream, String(Buffer.concat(pieces).length)));
    });
    const channel = channelTo(address);
    const ends: unknown[] = [];
    for (const [refused, length] of [
      [1, 1000],
      [3, 1000],
      [9, 1000],
      [1, 100_000],
    ] as const) {
      refusals = refused;
      const stream = (await channel.streams(Date.now() + 10_000))(STREAM, []);
      let failed: number | undefined;
      let said: string | undefined;
      stream.on('data', (bytes) => (said = String(bytes)));
      stream.on('error', ({ code }) => (failed = code));
      const ended = endOf(stream);
      for (let n = 0; n < 2; n += 1) stream.write(Buffer.alloc(length));
      stream.end();
      await ended;
      ends.push(said ?? failed);
    }
    expect(ends).toEqual(['2010', '2010', status.UNAVAILABLE, status.UNAVAILABLE]);
  });

  it('begins no streams at a replica that says goodbye, where others go on', async () => {
    const [one, other] = [await grpcServer(), await grpcServer()];
    const channel = channelTo(`${one.address},${other.address}`);
    const begin = async (): Promise<ServiceStream> => {
      const stream = (await channel.streams(Date.now() + 30_000))(STREAM, []);
      stream.write(Buffer.from('hello'));
      await once(stream, 'data');
      return stream;
    };
    const streams: ServiceStream[] = [];
    // Until both replicas are connected they all go to one.
    await waitFor(async () => {
      streams.push(await begin());
      return callsOf(one.server) > 0 && callsOf(other.server) > 0;
    });
    const before = callsOf(one.server);
    one.server.tryShutdown(() => undefined);
    for (let n = 0; n < 10; n += 1) streams.push(await begin());
    expect(callsOf(one.server)).toBe(before);
    for (const stream of streams) {
      stream.write(Buffer.from('bye'));
      expect((await once(stream, 'data')).map(String)).toEqual(['bye']);
      stream.end();
      await once(stream, 'end');
    }
  });

  it('loses no stream that begins while replicas are restarted in turn', async () => {
    const replicas = [await grpcServer(), await grpcServer()];
    const channel = channelTo(replicas.map(({ address }) => address).join(','));
    const echoed = async (): Promise<string> => {
      const stream = (await channel.streams(Date.now() + 10_000))(STREAM, []);
      let said = '';
      stream.on('data', (bytes) => (said += String(bytes)));
      stream.on('error', ({ code, details }) => (said += `${code} ${details}`));
      const ended = endOf(stream);
      stream.write(Buffer.from('echo'));
      stream.end();
      await ended;
      return said;
    };
    const heard = new Set<string>();
    let isRestarting = true;
    const callers = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isRestarting) heard.add(await echoed());
      }),
    );
    for (const { server, address } of replicas) {
      await waitFor(() => callsOf(server) > 0);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      const again = await grpcServer({}, { listen: address });
      await waitFor(() => callsOf(again.server) > 0);
    }
    isRestarting = false;
    await callers;
    expect([...heard]).toEqual(['echo']);
  });

  it('begins no streams at a replica that fails one after the other', async () => {
    let failed = 0;
    const { address: failing } = await rawServer((stream) => {
      failed += 1;
      stream.respond({ ':status': 503 }, { endStream: true });
    });
    const good = await grpcServer();
    const channel = channelTo(`${failing},${good.address}`);
    const deadline = Date.now() + 900;
    while (Date.now() < deadline) {
      const stream = (await channel.streams(Date.now() + 10_000))(STREAM, []);
      stream.end();
      await endOf(stream);
    }
    expect(failed).toBeGreaterThanOrEqual(5);
    expect(failed).toBeLessThan(20);
  });

  it('calls the replica that has the fewest calls', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const slow = await grpcServer({
      unary: (_call, done) => {
        const finish = (): void => done(null, Buffer.from('slow'));
        if (isSlow) waiting.push(finish);
        else finish();
      },
    });
    const quick = await grpcServer({ unary: (_call, done) => done(null, Buffer.from('quick')) });
    const channel = channelTo(`${slow.address},${quick.address}`);
    for (const name of ['slow', 'quick']) await waitFor(async () => (await call(channel)) === name);
    isSlow = true;
    const stuck: Promise<string>[] = [];
    await waitFor(async () => {
      const answer = call(channel);
      // One that goes to the quick one is over before the next is made.
      if ((await Promise.race([answer, delay(200)])) === undefined) stuck.push(answer);
      return waiting.length > 0;
    });
    for (let n = 0; n < 20; n += 1) expect(await call(channel)).toBe('quick');
    for (const finish of waiting.splice(0)) finish();
    expect(await Promise.all(stuck)).toEqual(['slow']);
  });

  it('leaves a replica alone within a second that falls silent, and comes back to it', async () => {
    const good = await grpcServer({ unary: (_call, done) => setTimeout(() => done(null, Buffer.from('good')), 5) });
    const other = await grpcServer({ unary: (_call, done) => done(null, Buffer.from('silent')) });
    const way = await fragileWayTo(other.port);
    const channel = channelTo(`${good.address},${way.address}`);
    await waitFor(async () => (await call(channel)) === 'silent');
    way.silence();
    const lost: unknown[] = [];
    const busy = Array.from({ length: 4 }, () => call(channel, 30_000).catch((error: unknown) => lost.push(error)));
    await delay(1_000);
    // Many at once, of which a replica with few calls would otherwise get its share.
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(channel, 5_000)));
    expect(new Set(answers)).toEqual(new Set(['good']));
    expect(busy).toHaveLength(4);
  });

  it('leaves a replica alone that fails one call after the other', async () => {
    let failed = 0;
    const { address: failing } = await rawServer((stream) => {
      failed += 1;
      stream.respond({ ':status': 503 }, { endStream: true });
    });
    const good = await grpcServer({ unary: (_call, done) => setTimeout(() => done(null, Buffer.from('good')), 5) });
    const channel = channelTo(`${failing},${good.address}`);
    const deadline = Date.now() + 900;
    while (Date.now() < deadline) await call(channel).catch(() => undefined);
    expect(failed).toBeGreaterThanOrEqual(5);
    expect(failed).toBeLessThan(20);
  });

  it('finds out that the other side has died', async () => {
    const served = Promise.withResolvers<undefined>();
    const { port } = await grpcServer({ unary: () => served.resolve(undefined) });
    const way = await fragileWayTo(port);
    const answer = call(channelTo(way.address, { keepAliveMs: 200 }), 30_000);
    await served.promise;
    way.silence();
    const begun = performance.now();
    await expect(answer).rejects.toMatchObject({ kind: 'unavailable' });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('finds out that the other side of a stream has died, however quiet that is by itself', async () => {
    const { port } = await grpcServer();
    const way = await fragileWayTo(port);
    const stream = (await channelTo(way.address, { keepAliveMs: 200 }).streams(Date.now() + 30_000))(STREAM, []);
    stream.write(Buffer.from('hello'));
    await once(stream, 'data');
    way.silence();
    const begun = performance.now();
    expect(await once(stream, 'error')).toMatchObject([{ code: status.UNAVAILABLE }]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
