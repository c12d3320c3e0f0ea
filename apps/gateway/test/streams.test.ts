/* oxlint-disable typescript/require-await, require-yield -- generators in the place of services do little but yield */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { notFound, rangeNotSatisfiable } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import type { Gateway } from './gateway-here.ts';
import { rawConnection } from './raw-connection.ts';
import {
  eventsOf,
  KIB_64,
  MANY,
  startStreams,
  type ServerSentEvent,
  type StreamsUnderTest,
} from './streams-under-test.ts';

let streams: StreamsUnderTest;
/** With limits that a test reaches. */
let strict: Gateway;
beforeAll(async () => {
  streams = await startStreams();
  strict = await streams.startGateway({
    GATEWAY_STREAM_CALLER_LIMIT: '2',
    GATEWAY_STREAM_ORGANISATION_LIMIT: '3',
    GATEWAY_STREAM_HEARTBEAT_MS: '300',
    GATEWAY_STREAM_DEADLINE_MS: '10000',
    GATEWAY_STREAM_IDLE_MS: '5000',
  });
});
const opened: AbortController[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.abort();
});
afterAll(async () => {
  await strict.stop();
  await streams.stop();
});

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const EVENTS = `/samples/${ID}/events`;
const ASK = `/samples/${ID}/ask`;
const CONTENT = `/samples/${ID}/content`;

async function watch(headers: Record<string, string> = {}, gateway = streams.gateway) {
  const client = new AbortController();
  opened.push(client);
  const response = await streams.fetch(EVENTS, { headers, signal: client.signal }, gateway);
  const events = eventsOf(response);
  const next = async (): Promise<ServerSentEvent | undefined> => {
    const result = await events.next();
    return result.done === true ? undefined : result.value;
  };
  return { response, next, leave: () => client.abort() };
}

const never = (): Promise<never> => new Promise(() => undefined);
/** One event, and then silence. */
const quiet = (seen: (context: CallContext) => void = () => undefined) =>
  async function* (_request: object, context: CallContext) {
    seen(context);
    yield { data: { label: 'first' } };
    await never();
  };

describe('an event stream', () => {
  it('has an event for each message, as soon as it is there', async () => {
    const go = Promise.withResolvers<undefined>();
    let asked: unknown;
    streams.on('WatchSample', async function* (request, { caller, requestId }) {
      asked = { ...(request as object), caller: caller.userId, requestId };
      yield { eventId: '8', event: 'made', retryMs: 500, data: { label: 'é\n' } };
      await go.promise;
      yield { data: { label: 'b', colour: 'red' } };
    });
    const { response, next } = await watch({ 'last-event-id': '7', accept: 'text/event-stream' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(await next()).toEqual({ id: '8', event: 'made', retry: '500', data: { label: 'é\n', colour: null } });
    go.resolve(undefined);
    expect(await next()).toEqual({ data: { label: 'b', colour: 'red' } });
    expect(await next()).toBeUndefined();
    const requestId = response.headers.get('x-request-id');
    expect(asked).toMatchObject({ sampleId: ID, lastEventId: '7', caller: 'id of user-ada', requestId });
    await waitFor(() => streams.gateway.log.find((line) => line['requestId'] === requestId && line['status'] === 200));
  });

  it('is another form of an operation with one answer, for clients that ask for it', async () => {
    streams.on('Ask', () => ({ text: 'at once' }));
    streams.on('StreamAnswer', async function* () {
      yield { text: 'bit' };
      yield { text: 'by bit' };
    });
    const ask = (accept: string, path = ASK) =>
      streams.fetch(path, {
        method: 'POST',
        body: '{"question":"why?"}',
        headers: { accept, 'content-type': 'application/json' },
      });
    expect(await (await ask('*/*')).json()).toEqual({ text: 'at once' });
    const answer = await ask('application/json;q=0.5, text/event-stream');
    const events = 'data: {"text":"bit"}\n\ndata: {"text":"by bit"}\n\n';
    expect(await answer.text()).toBe(events);
    // Its own path needs nobody to say so.
    const own = await ask('*/*', `${ASK}/stream`);
    expect([own.headers.get('content-type'), await own.text()]).toEqual(['text/event-stream', events]);
  });

  it('is an ordinary answer where something fails before its first message', async () => {
    streams.on('WatchSample', async function* () {
      throw notFound('Sample');
    });
    const { response } = await watch({ accept: 'text/event-stream' });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json']);
    expect(await response.json()).toEqual({ detail: 'Sample not found', code: 'sample_not_found' });
    expect((await watch({ authorization: 'Bearer no.token.here' })).response.status).toBe(401);
    expect((await streams.fetch('/samples/no-uuid/events')).status).toBe(422);
  });

  it('ends with an error event where something fails later', async () => {
    streams.on('WatchSample', async function* () {
      yield { data: { label: 'first' } };
      throw notFound('Sample');
    });
    const { response, next } = await watch();
    await next();
    const requestId = response.headers.get('x-request-id');
    expect(await next()).toEqual({
      event: 'error',
      data: {
        type: 'urn:platform:error:sample_not_found',
        title: 'Not Found',
        status: 404,
        detail: 'Sample not found',
        code: 'sample_not_found',
        request_id: requestId,
      },
    });
    expect(await next()).toBeUndefined();
    const line = await waitFor(() => streams.gateway.log.find((each) => each['requestId'] === requestId && each['ms']));
    expect(line).toMatchObject({ status: 200, code: 'sample_not_found' });
  });

  it('tells a client that there is nothing to come back for when it is empty', async () => {
    streams.on('WatchSample', async function* () {});
    expect((await watch()).response.status).toBe(204);
  });

  it('has only a head for HEAD, and stops the service', async () => {
    let context: CallContext | undefined;
    streams.on(
      'WatchSample',
      quiet((given) => (context = given)),
    );
    const response = await streams.fetch(EVENTS, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    await waitFor(() => context?.signal.aborted);
  });

  it('waits for a reader that is slow: what the service has made is bounded', async () => {
    let made = 0;
    streams.on('WatchSample', async function* () {
      const data = { label: KIB_64.toString() };
      while (made < MANY) {
        made += 1;
        yield { data };
      }
    });
    const { next } = await watch();
    await next();
    expect(await streams.stalled(() => made)).toBeLessThan(MANY / 2);
    let read = 1;
    while (await next()) read += 1;
    expect([read, made]).toEqual([MANY, MANY]);
  });

  it('stops the work of the service when its client leaves', async () => {
    let context: CallContext | undefined;
    streams.on(
      'WatchSample',
      quiet((given) => (context = given)),
    );
    const { response, next, leave } = await watch();
    await next();
    leave();
    await waitFor(() => context?.signal.aborted);
    const requestId = response.headers.get('x-request-id');
    await waitFor(() => streams.gateway.log.find((line) => line['requestId'] === requestId && line['status'] === 499));
  });

  it('shows that it is alive, even before its first message', async () => {
    const go = Promise.withResolvers<undefined>();
    streams.on('WatchSample', async function* () {
      await go.promise;
      yield { data: { label: 'late' } };
    });
    const response = await streams.fetch(EVENTS, {}, strict);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^:\n\n/);
    go.resolve(undefined);
    let text = '';
    await waitFor(async () => (text += Buffer.from((await reader.read()).value ?? []).toString()).includes('"late"'));
    await reader.cancel();
  });

  it('ends when nothing has moved for too long', async () => {
    let context: CallContext | undefined;
    streams.on(
      'WatchSample',
      quiet((given) => (context = given)),
    );
    const { next } = await watch({}, strict);
    await next();
    expect(await next()).toMatchObject({ event: 'error', data: { status: 504, code: 'deadline_exceeded' } });
    await waitFor(() => context?.signal.aborted);
  });

  it('ends at its deadline, however much is moving', async () => {
    let beat = Promise.withResolvers<undefined>();
    streams.on('WatchSample', async function* (_request, { signal }) {
      while (!signal.aborted) {
        yield { data: { label: 'again' } };
        await beat.promise;
        beat = Promise.withResolvers();
      }
    });
    const { body } = await streams.fetch(EVENTS, {}, strict);
    let text = '';
    for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += piece;
      // After each silence something moves.
      if (piece.includes(':\n\n')) beat.resolve(undefined);
    }
    expect(text.match(/"again"/g)?.length).toBeGreaterThan(1);
    expect(text).toMatch(/event: error\ndata: .*"code":"deadline_exceeded"/);
  });

  it('ends when its caller is revoked', async () => {
    const key = newApiKey();
    const { identity } = streams.platform;
    const owner = { id: 'key_1', userId: 'user_1', organisationId: 'org_1' };
    identity.addKey(key, { ...owner, level: 'EDITOR', scopes: ['samples:read'] });
    let context: CallContext | undefined;
    streams.on(
      'WatchSample',
      quiet((given) => (context = given)),
    );
    const { response, next } = await watch({ authorization: `Bearer ${key}` });
    expect(response.status).toBe(200);
    await next();
    identity.revokeKey(key);
    expect(await next()).toMatchObject({ event: 'error', data: { status: 401, code: 'invalid_api_key' } });
    await waitFor(() => context?.signal.aborted);
  });

  it('ends when its caller is removed from its organisation, also whom the token makes a member of another one', async () => {
    const { identity, issuer } = streams.platform;
    const other = { organisationId: 'org_other', level: 'ADMIN' } as const;
    identity.members.set('user-moves', [{ ...other, organisationId: 'org_one' }, other]);
    const token = await issuer.token({ claims: { sub: 'user-moves', org_id: 'org_one' } });
    streams.on('WatchSample', quiet());
    const { response, next } = await watch({ authorization: `Bearer ${token}` });
    expect(response.status).toBe(200);
    await next();
    identity.members.set('user-moves', [other]);
    expect(await next()).toMatchObject({ event: 'error', data: { status: 403, code: 'not_a_member' } });
  });

  it('is one of so many that a caller may have open', async () => {
    streams.on('WatchSample', quiet());
    const [one, two] = [await watch({}, strict), await watch({}, strict)];
    const { response } = await watch({}, strict);
    expect([response.status, response.headers.get('x-error-code')]).toEqual([429, 'open_streams_limit_reached']);
    expect(await (await fetch(strict.metricsUrl)).text()).toMatch(/^gateway_open_streams 2$/m);
    one.leave();
    await waitFor(async () => (await watch({}, strict)).response.status === 200);
    two.leave();
  });

  it('takes no room for a client that has left before it was known who it is', async () => {
    const { identity, issuer } = streams.platform;
    identity.members.set('user-late', [{ organisationId: 'org_late', level: 'ADMIN' }]);
    const authorization = `Bearer ${await issuer.token({ claims: { sub: 'user-late' } })}`;
    const known = Promise.withResolvers<undefined>();
    identity.answeredAfter.set('user-late', known.promise);
    streams.on('WatchSample', quiet());
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) {
      const connection = await rawConnection(strict.port);
      const headers = [`Authorization: ${authorization}`, `X-Request-Id: ${id}`, 'Accept: text/event-stream'];
      connection.write([`GET ${EVENTS} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n'));
      connection.socket.destroy();
    }
    const hasLeft = (id: string): boolean =>
      strict.log.some(({ requestId, status }) => requestId === id && status === 499);
    await waitFor(() => ids.every(hasLeft));
    known.resolve(undefined);
    for (let stream = 0; stream < 2; stream += 1)
      expect((await watch({ authorization }, strict)).response.status).toBe(200);
  });

  it('is one of so many that the credentials of an organisation may have open', async () => {
    streams.on('WatchSample', quiet());
    const of = async (organisationId: string) => {
      const key = newApiKey();
      const owner = { id: randomUUID(), userId: 'user_1', organisationId };
      streams.platform.identity.addKey(key, { ...owner, level: 'EDITOR', scopes: ['samples:read'] });
      return (await watch({ authorization: `Bearer ${key}` }, strict)).response;
    };
    for (const _ of [1, 2, 3]) expect((await of('org_many')).status).toBe(200);
    const refused = await of('org_many');
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'open_streams_limit_reached']);
    expect((await of('org_few')).status).toBe(200);
  });
});

describe('a download through the gateway', () => {
  it('has the bytes of all messages, and the headers of the first', async () => {
    streams.on('DownloadSample', async function* () {
      yield {
        contentType: 'text/plain',
        disposition: 'attachment; filename="a.txt"',
        size: 6,
        chunk: Buffer.from('abc'),
      };
      yield { chunk: Buffer.from('def') };
    });
    const response = await streams.fetch(CONTENT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename="a.txt"',
      'content-length': '6',
    });
    expect(await response.text()).toBe('abcdef');
  });

  it('of a part is 206, of a part that is not there 416, and HEAD is about the whole', async () => {
    const asked: string[] = [];
    streams.on('DownloadSample', async function* ({ range }: { range: string }) {
      asked.push(range);
      if (range === 'bytes=9-') throw rangeNotSatisfiable(6);
      yield { contentType: 'text/plain', ...(range !== '' && { part: 'bytes 3-5/6' }), chunk: Buffer.from('def') };
    });
    const part = await streams.fetch(CONTENT, { headers: { range: 'bytes=3-' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 3-5/6', 'def']);
    const none = await streams.fetch(CONTENT, { headers: { range: 'bytes=9-' } });
    expect([none.status, none.headers.get('content-range'), none.headers.get('x-error-code')]).toEqual([
      416,
      'bytes */6',
      'range_not_satisfiable',
    ]);
    expect(await none.json()).toEqual({ detail: 'Range Not Satisfiable', code: 'range_not_satisfiable' });
    expect((await streams.fetch(CONTENT, { method: 'HEAD', headers: { range: 'bytes=3-' } })).status).toBe(200);
    expect(asked).toEqual(['bytes=3-', 'bytes=9-', '']);
  });

  it('breaks off where something fails, so that nobody takes it for whole', async () => {
    streams.on('DownloadSample', async function* () {
      yield { chunk: Buffer.from('abc') };
      throw notFound('Sample');
    });
    await expect(streams.fetch(CONTENT).then((response) => response.text())).rejects.toThrow();
  });

  it('is 500 where the service wants a header that cannot be', async () => {
    streams.on('DownloadSample', async function* () {
      yield { contentType: 'text/plain\r\nx-forged: 1', chunk: Buffer.from('abc') };
    });
    const response = await streams.fetch(CONTENT);
    expect([response.status, response.headers.get('x-forged')]).toEqual([500, null]);
  });
});

describe('a gateway with streams on SIGTERM', () => {
  it('lets streams come to their end, and ends those that go on with a last event', async () => {
    const gateway = await streams.startGatewayProcess({ GATEWAY_DRAIN_LIMIT_MS: '3000' });
    const go = Promise.withResolvers<undefined>();
    streams.on('WatchSample', async function* (request: { lastEventId: string }) {
      yield { data: { label: 'first' } };
      await (request.lastEventId === 'endless' ? never() : go.promise);
      yield { data: { label: 'last' } };
    });
    const [short, endless] = [await watch({}, gateway), await watch({ 'last-event-id': 'endless' }, gateway)];
    await Promise.all([short.next(), endless.next()]);
    gateway.kill('SIGTERM');
    await waitFor(() => gateway.log.some(({ msg }) => String(msg).includes('drains')));
    go.resolve(undefined);
    expect(await short.next()).toMatchObject({ data: { label: 'last' } });
    expect(await short.next()).toBeUndefined();
    expect(await endless.next()).toMatchObject({ event: 'error', data: { status: 503, code: 'draining' } });
    expect(await endless.next()).toBeUndefined();
    expect(await gateway.ended).toBe(0);
  });
});
