import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import type { ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:net';
import {
  answerWell,
  callingBy,
  CLIENTS,
  closeOpened,
  frame,
  grpcServer,
  listening,
  OK_HEADERS,
  opened,
  rawServer,
  UNARY,
} from './channels-under-test.ts';

afterEach(closeOpened);

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  const { channelTo, call, failure, begin, heardOf } = callingBy(open);

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

    it('lets a call end on a server that says goodbye', async () => {
      const served = Promise.withResolvers<() => void>();
      const { address, server } = await grpcServer({
        unary: ({ request }, done) => served.resolve(() => done(null, request)),
      });
      const channel = channelTo(address);
      const answer = call(channel, 'last');
      const finish = await Promise.race([served.promise, answer.then(() => Promise.reject(new Error('too early')))]);
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
});
