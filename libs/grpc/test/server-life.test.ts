import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import { openChannel, openServiceChannel } from '@platform-backend/grpc';
import { certificates, waitFor } from '@platform-backend/testing';
import { service as healthService } from 'grpc-health-check';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectPlainly, createServer, type AddressInfo, type Server } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { secureContextOf } from '../src/tls.ts';
import { THINGS } from './thing-contract.ts';
import { ada, asAda, assertionHeader, openThings, thingClient } from './thing-server.ts';

const { opened, serve, connect, close } = openThings();
afterEach(close);

const echo = { getThing: (request: { id: string }) => Promise.resolve(request) };
/** The process gets no time for longer than any pause that a server makes. */
const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
/** Far longer than any test waits: what ends earlier was not ended by it. */
const patiently = { ...asAda, timeoutMs: 120_000 };

describe('a service that cannot be reached', () => {
  it('is unavailable at once when nothing listens, and the answer names no address', async () => {
    const client = connect('127.0.0.1:1');
    for (const attempt of [1, 2, 3]) {
      await expect(client.getThing({ id: String(attempt) }, patiently)).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'Service Unavailable',
        retryAfterSeconds: 1,
      });
    }
  });

  it('is unavailable long before the deadline when it accepts connections and then says nothing', async () => {
    const silent: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      opened.push(() => socket.destroy());
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    opened.push(() => silent.close());
    const client = connect(`127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await expect(client.getThing({ id: 't1' }, patiently)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is reached again after its restart, by the same client', async () => {
    const first = await serve(echo);
    const client = connect(first.address);
    await client.getThing({ id: 't1' }, asAda);
    await first.drain();
    const downSince = Date.now();
    const outcomes = new Set<unknown>();
    const outcome = () =>
      client.getThing({ id: 't1' }, asAda).then(
        () => 'an answer',
        (error: unknown) => (error as DomainError).kind,
      );
    await waitFor(
      async () => {
        outcomes.add(await outcome());
        return Date.now() - downSince > 2_500;
      },
      { interval: 100, what: 'the pauses between attempts to have grown' },
    );
    expect([...outcomes]).toEqual(['unavailable']);
    await serve(echo, { listen: first.address });
    await waitFor(() => client.getThing({ id: 'again' }, asAda), { interval: 20, what: 'an answer' });
  });
});

describe('draining a gRPC server', () => {
  it('lets calls in flight end, refuses new ones, and then closes', async () => {
    const started = Promise.withResolvers<undefined>();
    const finish = Promise.withResolvers<undefined>();
    const server = await serve({
      getThing: async (request) => {
        started.resolve(undefined);
        await finish.promise;
        return request;
      },
    });
    const call = connect(server.address).getThing({ id: 'in flight' }, asAda);
    await started.promise;
    const drained = server.drain();
    await expect(connect(server.address).getThing({ id: 'late' }, asAda)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    finish.resolve(undefined);
    expect(await call).toMatchObject({ id: 'in flight' });
    await drained;
    expect(server.log.lines).not.toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it('loses none of many calls that are in flight', async () => {
    let begun = 0;
    const server = await serve({
      getThing: async (request) => {
        begun++;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
        return request;
      },
    });
    const client = connect(server.address);
    await client.getThing({ id: 'first' }, asAda);
    const calls = Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => client.getThing({ id: String(index) }, asAda)),
    );
    await waitFor(() => begun > 50, { interval: 1, what: 'many calls in flight' });
    await server.drain();
    const outcomes = await calls;
    // What had not reached the server yet may be refused; what it had begun must be answered.
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'unavailable' });
    const answered = server.log.lines.filter(({ status: code }) => code === 'OK').length;
    expect(outcomes.length - refused.length + 1).toBe(answered);
  });

  /** A call as the gateway makes it, whose messages go and come when the test has it so. */
  async function callOf(address: string) {
    const channel = openServiceChannel(address);
    opened.push(() => channel.close());
    const headers = Object.entries(await assertionHeader(ada)).flat();
    const call = (await channel.streams(Date.now() + 120_000))(`/${THINGS}/GetThing`, headers);
    const read: Buffer[] = [];
    call.on('data', (bytes) => read.push(bytes));
    return { call, read, ended: once(call, 'end') };
  }

  it('answers a call of which only the headers had come', async () => {
    const server = await serve(echo);
    const { call, read, ended } = await callOf(server.address);
    // Whoever asks later, on another connection, has an answer: the headers were read before.
    await connect(server.address).getThing({ id: 't1' }, asAda);
    const drained = server.drain();
    standStill();
    setImmediate(() => {
      call.write(Buffer.alloc(0));
      call.end();
    });
    await ended;
    expect(read).toHaveLength(1);
    await drained;
  });

  it('waits for whoever reads an answer slowly', async () => {
    const content = Buffer.alloc(4 * 1024 * 1024, 'x');
    const answered = Promise.withResolvers<undefined>();
    const server = await serve(
      { getThing: ({ id }) => Promise.resolve({ id, content }) },
      { onCall: () => answered.resolve(undefined) },
    );
    const { call, read, ended } = await callOf(server.address);
    call.pause();
    call.write(Buffer.alloc(0));
    call.end();
    await answered.promise;
    const drained = server.drain();
    standStill();
    // The server goes on before this side does.
    setImmediate(() => call.resume());
    await ended;
    expect(Buffer.concat(read).length).toBeGreaterThan(content.length);
    await drained;
  });

  it('has connections go that are made only while it drains', async () => {
    const authority = await certificates();
    opened.push(() => authority.remove());
    const tls = await authority.issue('things', 'localhost');
    const server = await serve(echo, { tls });
    const socket = connectPlainly(Number(server.address.split(':')[1]), '127.0.0.1');
    await once(socket, 'connect');
    // Known to the server by now, as it answers one that came later.
    const client = thingClient(server.address.replace('127.0.0.1', 'localhost'), { tls });
    opened.push(() => client.close());
    await client.getThing({ id: 't1' }, asAda);
    const drained = server.drain();
    const session = connectHttp2('https://localhost', {
      createConnection: () =>
        connectSecurely({
          secureContext: secureContextOf(tls),
          socket,
          servername: 'localhost',
          ALPNProtocols: ['h2'],
        }),
    });
    await once(session, 'goaway');
    await drained;
    expect(session.closed).toBe(true);
  });

  it('ends at its limit even when a call never does, and says so', async () => {
    const started = Promise.withResolvers<undefined>();
    const server = await serve(
      {
        getThing: () => {
          started.resolve(undefined);
          return new Promise(() => undefined);
        },
      },
      { drainLimitMs: 200 },
    );
    const call = expect(connect(server.address).getThing({ id: 't1' }, patiently)).rejects.toMatchObject({
      name: 'DomainError',
    });
    await started.promise;
    await server.drain();
    await call;
    expect(server.log.lines).toContainEqual(expect.objectContaining({ level: 'warn', inFlight: 1 }));
  });

  it('is done once, however often it is asked for', async () => {
    const server = await serve(echo);
    await Promise.all([server.drain(), server.drain()]);
    await server.drain();
  });
});

describe('the health of a gRPC server', () => {
  const check = healthService['Check'] ?? healthService['check'];
  const healthOf = (address: string, service: string): Promise<unknown> => {
    if (!check) throw new Error('The health service has no check.');
    const { client } = openChannel(address);
    opened.push(() => client.close());
    return new Promise((resolve) => {
      client.makeUnaryRequest(
        check.path,
        check.requestSerialize,
        check.responseDeserialize,
        { service },
        new Metadata(),
        (error, answer) => resolve(error ? status[error.code] : (answer as { status: unknown }).status),
      );
    });
  };

  it('is SERVING for the server and each of its services, without any assertion', async () => {
    const { address } = await serve(echo);
    expect(await healthOf(address, '')).toBe('SERVING');
    expect(await healthOf(address, 'kit.things.v1.ThingService')).toBe('SERVING');
    expect(await healthOf(address, 'kit.Nothing')).toBe('NOT_FOUND');
  });

  it('does not hold up draining while somebody watches it', async () => {
    const watch = healthService['Watch'] ?? healthService['watch'];
    if (!watch) throw new Error('The health service has no watch.');
    const server = await serve(echo);
    const { client } = openChannel(server.address);
    opened.push(() => client.close());
    const stream = client.makeServerStreamRequest(watch.path, watch.requestSerialize, watch.responseDeserialize, {
      service: '',
    });
    stream.on('error', () => undefined);
    const seen: unknown[] = [];
    stream.on('data', (answer: { status: unknown }) => seen.push(answer.status));
    await once(stream, 'data');
    const ended = new Promise((resolve) => stream.on('status', resolve));
    await server.drain();
    expect(server.log.lines).not.toContainEqual(expect.objectContaining({ level: 'warn' }));
    await ended;
    expect(seen).toEqual(['SERVING', 'NOT_SERVING']);
  });
});
