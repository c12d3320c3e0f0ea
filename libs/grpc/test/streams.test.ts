/* oxlint-disable typescript/require-await -- generators in the place of services do little but yield */
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadStreams } from '@platform-backend/contract/testing/sample-contract';
import { notFound, type DomainError } from '@platform-backend/core';
import type { CallContext, CallOptions, ObservedCall } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ada, asAda, thingClient, thingServer } from './thing-server.ts';

const contract = loadStreams();
const STREAMS = 'platform.streams.v1.StreamService';
const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

interface Piece {
  sampleId?: string;
  contentType?: string;
  chunk?: Uint8Array;
}
interface Frame {
  sampleId?: string;
  frame?: { text: string } | null;
}

interface StreamClient {
  streamAnswer: (request: object, options?: CallOptions) => AsyncIterable<{ text: string }>;
  uploadSample: (requests: AsyncIterable<Piece>, options?: CallOptions) => Promise<{ size: string }>;
  openChannel: (requests: AsyncIterable<Frame>, options?: CallOptions) => AsyncIterable<Frame>;
  close: () => void;
}

interface StreamHandlers {
  streamAnswer: (request: { question: string }, context: CallContext) => AsyncIterable<{ text: string }>;
  uploadSample: (requests: AsyncIterable<Piece>, context: CallContext) => Promise<{ title: string; size: number }>;
  openChannel: (requests: AsyncIterable<Frame>, context: CallContext) => AsyncIterable<Frame>;
}

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A service with these handlers and a client of it. */
async function connected(handlers: Partial<StreamHandlers>, options: Parameters<typeof thingServer>[1] = {}) {
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

const ask = { sampleId: id, question: 'why?' };
async function texts(answers: AsyncIterable<{ text: string }>): Promise<string[]> {
  const all: string[] = [];
  for await (const { text } of answers) all.push(text);
  return all;
}

/** Resolves when the number has stopped growing. */
async function stalled(count: () => number): Promise<number> {
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

const KIB_64 = Buffer.alloc(64 * 1024, 'x');
/** 64 MiB, of which the buffers on the way hold a small part. */
const MANY = 1024;

describe('a stream of answers', () => {
  it('comes message by message, to a caller known as in any call', async () => {
    const { client } = await connected({
      async *streamAnswer({ question }, context) {
        yield { text: question };
        await Promise.resolve();
        yield { text: `${context.caller.userId ?? ''} of ${context.organisationId()}` };
      },
    });
    expect(await texts(client.streamAnswer(ask, asAda))).toEqual(['why?', 'user_1 of org_1']);
  });

  it('may be empty', async () => {
    const { client } = await connected({ async *streamAnswer() {} });
    expect(await texts(client.streamAnswer(ask, asAda))).toEqual([]);
  });

  it('fails as any call before its first message, and in the middle with what came until then', async () => {
    const { client, observed, made } = await connected({
      async *streamAnswer({ question }) {
        if (question === 'late') yield { text: 'first' };
        throw notFound('Sample');
      },
    });
    await expect(texts(client.streamAnswer(ask, asAda))).rejects.toMatchObject({
      kind: 'not_found',
      message: 'Sample not found',
    });
    const got: string[] = [];
    const reading = async () => {
      for await (const { text } of client.streamAnswer({ ...ask, question: 'late' }, asAda)) got.push(text);
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'not_found' });
    expect(got).toEqual(['first']);
    expect([observed, made].map((calls) => calls.map(({ code }) => code))).toEqual([
      [5, 5],
      [5, 5],
    ]);
  });

  it('is refused before its handler runs, where the request or the caller is wrong', async () => {
    const { client } = await connected({});
    await expect(texts(client.streamAnswer({ ...ask, question: '' }, asAda))).rejects.toMatchObject({
      kind: 'invalid',
      violations: [{ type: 'string_too_short', loc: ['body', 'question'] }],
    });
    const noMember = { caller: { kind: 'user', service: 'gateway', userId: 'user_2', scopes: [] } } as const;
    await expect(texts(client.streamAnswer(ask, noMember))).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('waits for a reader that is slow, instead of filling memory', async () => {
    let made = 0;
    const { client } = await connected({
      async *streamAnswer() {
        const text = KIB_64.toString();
        while (made < MANY) {
          made += 1;
          yield { text };
        }
      },
    });
    const answers = client.streamAnswer(ask, asAda)[Symbol.asyncIterator]();
    await answers.next();
    expect(await stalled(() => made)).toBeLessThan(MANY / 4);
    let read = 1;
    while ((await answers.next()).done !== true) read += 1;
    expect([read, made]).toEqual([MANY, MANY]);
  });

  it('ends when its reader leaves: the signal of the handler fires and its iterable is ended', async () => {
    let context: CallContext | undefined;
    let ended = false;
    const { client, observed, made } = await connected({
      async *streamAnswer(_request, given) {
        context = given;
        try {
          for (;;) yield { text: 'on and on' };
        } finally {
          ended = true;
        }
      },
    });
    for await (const { text } of client.streamAnswer(ask, asAda)) if (text !== '') break;
    await waitFor(() => context?.signal.aborted && ended);
    await waitFor(() => observed.length === 1);
    expect([observed[0]?.code, made[0]?.code]).toEqual([1, 1]);
  });

  it('ends when its reader leaves, although its handler waits for something else', async () => {
    const { client, observed } = await connected({
      async *streamAnswer() {
        yield { text: 'first' };
        await new Promise(() => undefined);
      },
    });
    for await (const { text } of client.streamAnswer(ask, asAda)) if (text !== '') break;
    await waitFor(() => observed.length === 1);
  });

  it('ends at its deadline on both sides', async () => {
    let signal: AbortSignal | undefined;
    const { client } = await connected({
      async *streamAnswer(_request, context) {
        ({ signal } = context);
        yield { text: 'first' };
        await new Promise(() => undefined);
      },
    });
    await expect(texts(client.streamAnswer(ask, { ...asAda, timeoutMs: 300 }))).rejects.toMatchObject({
      kind: 'deadline_exceeded',
    });
    await waitFor(() => signal?.aborted);
  });

  it('ends when nothing has come for too long, but never because its reader is busy', async () => {
    let signal: AbortSignal | undefined;
    const { client } = await connected({
      async *streamAnswer(_request, context) {
        ({ signal } = context);
        yield { text: 'first' };
        yield { text: 'second' };
        await new Promise(() => undefined);
      },
    });
    const answers = client.streamAnswer(ask, { ...asAda, idleMs: 200 })[Symbol.asyncIterator]();
    await answers.next();
    // Busy for as long as it takes another one to wait in vain.
    await expect(texts(client.streamAnswer(ask, { ...asAda, idleMs: 400 }))).rejects.toMatchObject({
      kind: 'deadline_exceeded',
    });
    expect(await answers.next()).toMatchObject({ value: { text: 'second' } });
    await expect(answers.next()).rejects.toMatchObject({ kind: 'deadline_exceeded' });
    await waitFor(() => signal?.aborted);
  });

  it('is one call in log and metrics', async () => {
    const { client, server, observed } = await connected({
      async *streamAnswer() {
        yield { text: '1' };
        yield { text: '2' };
      },
    });
    await texts(client.streamAnswer(ask, { ...asAda, requestId: id }));
    await waitFor(() => observed.length === 1);
    expect(server.log.lines.filter(({ msg }) => msg === 'call')).toMatchObject([
      { method: `/${STREAMS}/StreamAnswer`, status: 'OK', requestId: id, caller: { userId: 'user_1' } },
    ]);
  });
});

describe('a stream of requests', () => {
  /** Counts the bytes of an upload. */
  const counting: Pick<StreamHandlers, 'uploadSample'> = {
    async uploadSample(requests) {
      let title = '';
      let size = 0;
      for await (const { contentType, chunk } of requests) {
        title ||= contentType ?? '';
        size += chunk?.length ?? 0;
      }
      return { title, size };
    },
  };
  async function* upload(...later: Piece[]): AsyncGenerator<Piece> {
    yield { sampleId: id, contentType: 'text/plain' };
    await Promise.resolve();
    yield* later;
  }

  it('arrives message by message and gets one answer', async () => {
    const { client } = await connected(counting);
    const chunk = Buffer.from('abc');
    expect(await client.uploadSample(upload({ chunk }, { chunk }), asAda)).toEqual({ title: 'text/plain', size: '6' });
  });

  it('is refused where its first message is not whole, and where a later one is wrong', async () => {
    const { client } = await connected(counting);
    const wrong = { kind: 'invalid', violations: [{ type: 'uuid_parsing', loc: ['path', 'sample_id'] }] };
    await expect(client.uploadSample(upload({ sampleId: 'x' }), asAda)).rejects.toMatchObject(wrong);
    const headless = async function* () {
      yield { chunk: Buffer.from('abc') };
    };
    await expect(client.uploadSample(headless(), asAda)).rejects.toMatchObject(wrong);
  });

  it('may be answered before its end, and then nothing more is asked for', async () => {
    let isEnded = false;
    const endless = async function* (): AsyncGenerator<Piece> {
      try {
        yield { sampleId: id };
        for (;;) yield { chunk: KIB_64 };
      } finally {
        isEnded = true;
      }
    };
    const { client } = await connected({
      async uploadSample(requests) {
        for await (const { chunk } of requests) if (chunk?.length) break;
        return { title: 'enough', size: 0 };
      },
    });
    expect(await client.uploadSample(endless(), asAda)).toMatchObject({ title: 'enough' });
    await waitFor(() => isEnded);
  });

  it('waits for a handler that is slow, instead of filling memory', async () => {
    let sent = 0;
    let read = 0;
    const go = Promise.withResolvers<undefined>();
    const { client } = await connected({
      async uploadSample(requests) {
        for await (const { chunk } of requests) {
          await go.promise;
          read += chunk?.length ? 1 : 0;
        }
        return { title: '', size: read };
      },
    });
    const pieces = async function* (): AsyncGenerator<Piece> {
      yield { sampleId: id };
      while (sent < MANY) {
        sent += 1;
        yield { chunk: KIB_64 };
      }
    };
    const answer = client.uploadSample(pieces(), asAda);
    expect(await stalled(() => sent)).toBeLessThan(MANY / 4);
    go.resolve(undefined);
    expect(await answer).toMatchObject({ size: String(MANY) });
    expect(read).toBe(MANY);
  });

  it('fails with what its source throws, and its handler never takes it for whole', async () => {
    const outcome = Promise.withResolvers<unknown>();
    outcome.promise.catch(() => undefined);
    const begun = Promise.withResolvers<undefined>();
    let signal: AbortSignal | undefined;
    const { client } = await connected({
      uploadSample(requests, context) {
        ({ signal } = context);
        begun.resolve(undefined);
        const answer = counting.uploadSample(requests, context);
        outcome.resolve(answer);
        return answer;
      },
    });
    const broken = async function* (): AsyncGenerator<Piece> {
      yield { sampleId: id };
      await begun.promise;
      throw notFound('Source');
    };
    await expect(client.uploadSample(broken(), asAda)).rejects.toMatchObject({ message: 'Source not found' });
    await expect(outcome.promise).rejects.toMatchObject({ code: 'caller_gone' });
    expect(signal?.aborted).toBe(true);
  });

  it('is never taken for whole when the connection is lost in the middle', async () => {
    const outcome = Promise.withResolvers<unknown>();
    outcome.promise.catch(() => undefined);
    const begun = Promise.withResolvers<undefined>();
    const { server } = await connected({
      uploadSample(requests, context) {
        begun.resolve(undefined);
        const answer = counting.uploadSample(requests, context);
        outcome.resolve(answer);
        return answer;
      },
    });
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const onward = connect(Number(server.address.split(':')[1]), '127.0.0.1');
      sockets.push(socket, onward);
      for (const each of [socket, onward]) each.on('error', () => undefined);
      socket.pipe(onward).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    opened.push(() => proxy.close());
    const { close, uploadSample } = thingClient(`127.0.0.1:${(proxy.address() as AddressInfo).port}`, {
      contract,
      service: STREAMS,
    }) as unknown as StreamClient;
    opened.push(close);
    const cutOff = async function* (): AsyncGenerator<Piece> {
      yield { sampleId: id };
      await begun.promise;
      for (const socket of sockets) socket.destroy();
      await new Promise(() => undefined);
    };
    await expect(uploadSample(cutOff(), asAda)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(outcome.promise).rejects.toMatchObject({ code: 'caller_gone' });
  });
});

describe('streams both ways', () => {
  it('go on independently of each other', async () => {
    const { client } = await connected({
      async *openChannel(requests) {
        yield { frame: { text: 'welcome' } };
        for await (const { frame } of requests) if (frame) yield { frame: { text: `you said ${frame.text}` } };
      },
    });
    const heard: string[] = [];
    const talk = async function* (): AsyncGenerator<Frame> {
      yield { sampleId: id };
      await waitFor(() => heard.length === 1);
      yield { frame: { text: 'hello' } };
    };
    for await (const { frame } of client.openChannel(talk(), asAda)) heard.push(frame?.text ?? '');
    expect(heard).toEqual(['welcome', 'you said hello']);
  });
});

describe('draining a gRPC server with streams', () => {
  it('lets a stream come to its end', async () => {
    const go = Promise.withResolvers<undefined>();
    const { client, server } = await connected({
      async *streamAnswer() {
        yield { text: 'first' };
        await go.promise;
        yield { text: 'last' };
      },
    });
    const answers = client.streamAnswer(ask, asAda)[Symbol.asyncIterator]();
    await answers.next();
    const drained = server.drain();
    go.resolve(undefined);
    expect(await answers.next()).toMatchObject({ value: { text: 'last' } });
    expect(await answers.next()).toMatchObject({ done: true });
    await drained;
  });

  it('ends a stream that goes on with a reason to come back, before the limit', async () => {
    let signal: AbortSignal | undefined;
    const { client, server } = await connected(
      {
        async *streamAnswer(_request, context) {
          ({ signal } = context);
          yield { text: 'first' };
          await new Promise(() => undefined);
        },
      },
      { drainLimitMs: 2_000 },
    );
    const answers = client.streamAnswer(ask, { caller: ada })[Symbol.asyncIterator]();
    await answers.next();
    const drained = server.drain();
    const failure = await answers.next().catch((error: unknown) => error as DomainError);
    expect(failure).toMatchObject({ kind: 'unavailable', code: 'draining', retryAfterSeconds: 1 });
    expect(signal?.aborted).toBe(true);
    await drained;
    expect(server.log.lines.filter(({ msg }) => String(msg).includes('cut off'))).toEqual([]);
  });
});
