import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import { openServiceChannel, type ServiceChannel, type ServiceStream } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  answerWell,
  callsOf,
  closeOpened,
  fragileWayTo,
  frame,
  grpcServer,
  listening,
  OK_HEADERS,
  opened,
  OPERATIONS,
  rawServer,
  type Settings,
  STREAM,
  UNARY,
} from './channels-under-test.ts';

afterEach(closeOpened);

/** However it ended. */
const endOf = (stream: ServiceStream): Promise<void> => new Promise((resolve) => stream.on('end', resolve));

/** Longer than a silent replica is believed in, and shorter than it was when it was asked every 10 s. */
const SOON_MS = 12_000;

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
      for (let n = 0; n < 2; n += 1) stream.write(Buffer.alloc(length / 2), Buffer.alloc(length / 2));
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
    const isAnswered = async (): Promise<boolean> => {
      const before = failed;
      const stream = (await channel.streams(Date.now() + 10_000))(STREAM, []);
      stream.end();
      await endOf(stream);
      return failed === before;
    };
    while (failed < 5) await isAnswered();
    await waitFor(async () => {
      let answered = 0;
      while (answered < 20 && (await isAnswered())) answered += 1;
      return answered === 20;
    });
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
    let answered = 0;
    while (failed < 5 || answered < 150)
      await call(channel).then(
        () => (answered += 1),
        () => undefined,
      );
    // It is tried again after a while, by one call at a time.
    expect(failed).toBeLessThan(answered / 5);
  });

  it('finds out that the other side has died', async () => {
    const served = Promise.withResolvers<undefined>();
    const { port } = await grpcServer({ unary: () => served.resolve(undefined) });
    const way = await fragileWayTo(port);
    const answer = call(channelTo(way.address), SOON_MS);
    await served.promise;
    way.silence();
    await expect(answer).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
  });

  it('finds it out after a rest as well', async () => {
    const { port } = await grpcServer();
    const way = await fragileWayTo(port);
    const channel = channelTo(way.address);
    await call(channel);
    // Nothing is on its way, and so nobody is asked.
    await delay(1_000);
    way.silence();
    await expect(call(channel, SOON_MS)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
  });

  it('lets a call end on a connection that takes no others, however long it takes', async () => {
    const served = Promise.withResolvers<() => void>();
    const { server, address } = await grpcServer({
      unary: (_call, done) => served.resolve(() => done(null, Buffer.from('late'))),
    });
    const answer = call(channelTo(address), 30_000);
    const finish = await served.promise;
    server.tryShutdown(() => undefined);
    // Longer than it is believed in without a sign of life.
    await delay(6_000);
    finish();
    expect(await answer).toBe('late');
  });

  it('finds out that the other side of a stream has died, however quiet that is by itself', async () => {
    const { port } = await grpcServer();
    const way = await fragileWayTo(port);
    const stream = (await channelTo(way.address).streams(Date.now() + SOON_MS))(STREAM, []);
    stream.write(Buffer.from('hello'));
    await once(stream, 'data');
    way.silence();
    expect(await once(stream, 'error')).toMatchObject([{ code: status.UNAVAILABLE }]);
  });
});
