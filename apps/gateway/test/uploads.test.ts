import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conflict, tooLarge } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Gateway } from './gateway-here.ts';
import { KIB_64, MANY, startStreams, type StreamsUnderTest } from './streams-under-test.ts';

let streams: StreamsUnderTest;
beforeAll(async () => {
  streams = await startStreams();
});
afterAll(() => streams.stop());

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const CONTENT = `/samples/${ID}/content`;
const FORM = `/samples/${ID}/form`;

interface Piece {
  sampleId: string;
  title?: string;
  contentType?: string;
  contentLength?: string;
  chunk?: Buffer;
  file?: { filename: string; contentType: string; content: Buffer } | null;
}

/** What the service made of the last upload. */
interface Received {
  first?: Piece;
  size: number;
  messages: number;
  /** Of the longest message. */
  longest: number;
  signal?: AbortSignal;
  outcome?: 'whole' | 'failed';
}

/** Takes uploads; `before` is awaited before each message but the first. */
function receive(method: string, before: () => Promise<unknown> = () => Promise.resolve()): Received {
  const received: Received = { size: 0, messages: 0, longest: 0 };
  streams.on(method, async (requests: AsyncIterable<Piece>, { signal }: CallContext) => {
    received.signal = signal;
    try {
      for await (const request of requests) {
        received.first ??= request;
        received.messages += 1;
        const { length } = request.chunk ?? request.file?.content ?? [];
        received.size += length;
        received.longest = Math.max(received.longest, length);
        if (request !== received.first) await before();
      }
      received.outcome = 'whole';
    } catch (error) {
      received.outcome = 'failed';
      throw error;
    }
    return { title: received.first?.title ?? '', size: received.size };
  });
  return received;
}

/** 64 KiB so many times, as fast as they are taken. */
function body(count: number, sent: (soFar: number) => void = () => undefined): ReadableStream<Uint8Array> {
  let made = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (made === count) controller.close();
        else {
          made += 1;
          sent(made);
          controller.enqueue(KIB_64);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

const put = (content: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}, gateway?: Gateway) =>
  streams.fetch(CONTENT, { method: 'PUT', body: content, duplex: 'half', headers }, gateway);

describe('an upload of a body', () => {
  it('reaches the service in pieces, behind what path and headers say', async () => {
    const received = receive('UploadSample');
    const response = await put(body(100), { 'content-type': 'image/png' });
    expect([response.status, await response.json()]).toEqual([201, { title: '', size: 100 * KIB_64.length }]);
    expect(received.first).toMatchObject({ sampleId: ID, contentType: 'image/png' });
    expect(received.messages).toBeGreaterThan(50);
    expect(received.longest).toBeLessThanOrEqual(2 * KIB_64.length);
  });

  it('may be empty', async () => {
    const received = receive('UploadSample');
    expect((await put('')).status).toBe(201);
    expect(received).toMatchObject({ outcome: 'whole', size: 0 });
  });

  it('is refused with an If-Match that nobody would compare, and nothing of it reaches the service', async () => {
    const received = receive('UploadSample');
    const refused = await put(body(100), { 'if-match': '"a"' });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([412, 'precondition_unsupported']);
    expect(received.first).toBeUndefined();
    expect((await put('x', { 'if-match': '*' })).status).toBe(201);
  });

  it('waits for a service that is slow: what the client has sent is bounded', async () => {
    let sent = 0;
    const go = Promise.withResolvers<undefined>();
    const received = receive('UploadSample', () => go.promise);
    const many = MANY / 2;
    const answer = put(body(many, (soFar) => (sent = soFar)));
    expect(await streams.stalled(() => sent)).toBeLessThan(many / 2);
    go.resolve(undefined);
    expect((await answer).status).toBe(201);
    expect(received.size).toBe(many * KIB_64.length);
  });

  it('is 413 beyond what the contract allows, whatever was announced, and never whole to the service', async () => {
    const received = receive('UploadSample');
    const tooLong = await put(body(1200));
    expect([tooLong.status, await tooLong.json()]).toEqual([
      413,
      { detail: 'Request body too large', code: 'too_large' },
    ]);
    await waitFor(() => received.outcome === 'failed');
    const announced = receive('UploadSample');
    const connection = connect(streams.gateway.port, streams.gateway.host);
    connection.write(
      `PUT ${CONTENT} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await authorization()}\r\nContent-Length: 99999999\r\n\r\n`,
    );
    const [answer] = (await once(connection, 'data')) as [Buffer];
    expect(answer.toString()).toContain('413 Payload Too Large');
    connection.destroy();
    expect(announced.first).toBeUndefined();
  });

  it('is 413 as soon as the service says so of what was announced, though nothing follows', async () => {
    streams.on('UploadSample', async (requests: AsyncIterable<Piece>) => {
      for await (const { contentLength } of requests) if (Number(contentLength) > 5000) throw tooLarge();
    });
    const connection = connect(streams.gateway.port, streams.gateway.host);
    connection.write(
      `PUT ${CONTENT} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await authorization()}\r\nContent-Length: 5001\r\n\r\nabc`,
    );
    const [answer] = (await once(connection, 'data')) as [Buffer];
    expect(answer.toString()).toContain('413 Payload Too Large');
    connection.destroy();
  });

  it('fails with what the service says, also in the middle', async () => {
    streams.on('UploadSample', async (requests: AsyncIterable<Piece>) => {
      for await (const { chunk } of requests) if (chunk?.length) break;
      throw conflict('full', 'There is no room');
    });
    const response = await put(body(200));
    expect([response.status, await response.json()]).toEqual([409, { detail: 'There is no room', code: 'full' }]);
    receive('UploadSample');
    expect((await streams.fetch('/samples/no-uuid/content', { method: 'PUT', body: 'x' })).status).toBe(422);
    expect((await put('x', { authorization: 'Bearer no.token.here' })).status).toBe(401);
  });

  it('stops the work of the service when its client leaves, who never has the upload for whole', async () => {
    const received = receive('UploadSample');
    const client = new AbortController();
    const stuck = new ReadableStream<Uint8Array>({
      pull: (controller) => (received.size === 0 ? controller.enqueue(KIB_64) : new Promise(() => undefined)),
    });
    const answer = streams.fetch(CONTENT, { method: 'PUT', body: stuck, duplex: 'half', signal: client.signal });
    answer.catch(() => undefined);
    await waitFor(() => received.size > 0);
    client.abort();
    await waitFor(() => received.signal?.aborted && received.outcome === 'failed');
    await expect(answer).rejects.toThrow();
  });

  it('has a time of its own, which is that of streams and not that of requests', async () => {
    const gateway = await streams.startGateway({
      GATEWAY_REQUEST_TIMEOUT_MS: '1000',
      GATEWAY_HEADERS_TIMEOUT_MS: '1000',
    });
    const received = receive('UploadSample');
    const timeIsUp = Promise.withResolvers<undefined>();
    const slow = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(KIB_64);
        await timeIsUp.promise;
        controller.enqueue(KIB_64);
        controller.close();
      },
    });
    const answer = put(slow, {}, gateway);
    await waitFor(() => received.size === KIB_64.length);
    // A request that begins later and is never whole has used up the time of requests.
    const request = connect(gateway.port, gateway.host);
    request.write('POST /client-groups/ HTTP/1.1\r\nHost: x\r\n');
    request.resume();
    await once(request, 'close');
    timeIsUp.resolve(undefined);
    expect((await answer).status).toBe(201);
    expect(received.size).toBe(2 * KIB_64.length);
    await gateway.stop();
  });

  it('is answered 504 when its client sends nothing for too long', async () => {
    const gateway = await streams.startGateway({ GATEWAY_STREAM_IDLE_MS: '1000' });
    const received = receive('UploadSample');
    const connection = connect(gateway.port, gateway.host);
    connection.write(
      `PUT ${CONTENT} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await authorization()}\r\nContent-Length: 1000\r\n\r\nabc`,
    );
    const [answer] = (await once(connection, 'data')) as [Buffer];
    expect(answer.toString()).toContain('504 Gateway Timeout');
    await waitFor(() => received.outcome === 'failed');
    connection.destroy();
    await gateway.stop();
  });
});

async function authorization(): Promise<string> {
  return `Bearer ${await streams.platform.issuer.token()}`;
}

describe('an upload of a form', () => {
  type Part = readonly [string, string | Blob];
  const send = (...parts: readonly Part[]) => sendTo(streams.gateway, ...parts);
  const sendTo = (gateway: Gateway, ...parts: readonly Part[]) => {
    const form = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, 'a file.png');
    }
    return streams.fetch(FORM, { method: 'POST', body: form }, gateway);
  };
  const file = (size: number) => new Blob([Buffer.alloc(size, 'x')], { type: 'image/png' });

  it('reaches the service in pieces of its file, behind its fields', async () => {
    const received = receive('UploadSampleForm');
    const response = await send(['title', 'Ä title'], ['other', 'is passed over'], ['file', file(5_000_000)]);
    expect([response.status, await response.json()]).toEqual([200, { title: 'Ä title', size: 5_000_000 }]);
    expect(received.first).toMatchObject({
      sampleId: ID,
      title: 'Ä title',
      file: { filename: 'a file.png', contentType: 'image/png', content: Buffer.alloc(0) },
    });
    expect(received.messages).toBeGreaterThan(50);
  });

  it('is refused like any request before a byte of its file goes on', async () => {
    const received = receive('UploadSampleForm');
    const response = await send(['file', file(100)]);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ type: 'missing', loc: ['body', 'title'] }] });
    expect((await send(['title', 'A'])).status).toBe(422);
    const json = await streams.fetch(FORM, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(422);
    expect(received.first).toBeUndefined();
  });

  it('has its fields before its file', async () => {
    const received = receive('UploadSampleForm');
    const response = await send(['title', 'A'], ['file', file(100_000)], ['title', 'B']);
    expect([response.status, await response.json()]).toEqual([
      400,
      { detail: 'The fields of the form must stand before its file.' },
    ]);
    await waitFor(() => received.outcome !== 'whole');
  });

  it.each([
    [400, 100_000],
    // Read whole, like the forms of other operations, where a part that is cut off does not count.
    [422, 100],
  ])('is %s when it is cut off, with %s bytes of its file, and never whole to the service', async (status, size) => {
    const received = receive('UploadSampleForm');
    const cut = [
      '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nA\r\n',
      `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(size)}`,
    ].join('');
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const response = await streams.fetch(FORM, { method: 'POST', body: cut, headers });
    expect(response.status).toBe(status);
    await waitFor(() => received.outcome === undefined || received.outcome === 'failed');
    expect(received.outcome).not.toBe('whole');
  });

  it('reaches the service in one message with its file when it is small', async () => {
    const received = receive('UploadSampleForm');
    const response = await send(['file', file(1000)], ['title', 'A']);
    expect([response.status, await response.json()]).toEqual([200, { title: 'A', size: 1000 }]);
    expect([received.messages, received.outcome]).toEqual([1, 'whole']);
  });

  it('holds what stands before its file in the room that bodies have, whose caller is 429 beyond', async () => {
    const gateway = await streams.startGateway({ GATEWAY_BODY_MEMORY_CALLER_LIMIT_BYTES: '400000' });
    const field = `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n${'x'.repeat(60_000)}\r\n`;
    const head = [
      ...[`POST ${FORM} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${await streams.platform.issuer.token()}`],
      ...['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 1000000', '', ''],
    ].join('\r\n');
    const held = Array.from({ length: 3 }, () => connect(gateway.port, gateway.host));
    // None of them ever comes to its file.
    for (const connection of held) connection.write(`${head}${field}${field}--b`);
    const answer = await Promise.race(
      held.map(async (connection) => ((await once(connection, 'data')) as [Buffer])[0]),
    );
    expect(answer.toString()).toMatch(/^HTTP\/1.1 429 [^]*x-error-code: held_bodies_limit_reached/i);

    for (const connection of held) connection.destroy();
    receive('UploadSampleForm');
    await waitFor(async () => (await sendTo(gateway, ['title', 'A'], ['file', file(100_000)])).status === 200);
    await gateway.stop();
  });

  it('is 413 when its file is larger than the contract allows', async () => {
    const announced = receive('UploadSampleForm');
    const request = httpRequest(streams.gateway.url + FORM, {
      method: 'POST',
      headers: {
        authorization: await authorization(),
        ...{ 'content-type': 'multipart/form-data; boundary=b', 'content-length': '68000000' },
      },
    });
    request.flushHeaders();
    const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
    request.destroy();
    expect(statusCode).toBe(413);
    expect(announced.first).toBeUndefined();
    const received = receive('UploadSampleForm');
    const response = await streams.fetch(FORM, {
      method: 'POST',
      body: ReadableStream.from(formOf(1_040)),
      duplex: 'half',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(response.status).toBe(413);
    await waitFor(() => received.outcome === 'failed');
  });
});

/** A form with so many times 64 KiB in its file, piece by piece, so that nothing waits for the whole. */
function* formOf(pieces: number): Generator<Uint8Array> {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nA\r\n');
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  for (let made = 0; made < pieces; made += 1) yield KIB_64;
  yield Buffer.from('\r\n--b--\r\n');
}
