/* oxlint-disable typescript/require-await -- generators in the place of services do little but yield */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { notFound } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { GatewayProcess } from './gateway-process.ts';
import { exchangeBytes, rawConnection } from './raw-connection.ts';
import { startStreams, type StreamsUnderTest } from './streams-under-test.ts';

let streams: StreamsUnderTest;
/** In a process of its own: what clients do with connections is to harm none, and the last test ends it. */
let gateway: GatewayProcess;
beforeAll(async () => {
  streams = await startStreams();
  gateway = await streams.startGatewayProcess({ GATEWAY_DRAIN_LIMIT_MS: '2000' });
});
const opened: WebSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
});
afterAll(async () => {
  await gateway.stop();
  await streams.stop();
});

const PATH = '/samples/3fa85f64-5717-4562-b3fc-2c963f66afa6/channel';

interface Said {
  sampleId: string;
  protocol: string;
  frame: { text: string | null; binary: Buffer | null } | null;
}

/** A client with Ada's token, unless another credential is given. */
async function client(path = PATH, credential?: string, { url } = gateway) {
  const token = credential ?? (await streams.platform.issuer.token());
  const socket = new WebSocket(url.replace('http', 'ws') + path, ['v1.sample'], {
    headers: { authorization: `Bearer ${token}` },
  });
  opened.push(socket);
  const heard: (string | Buffer)[] = [];
  socket.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data : data.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<[number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, reason.toString()]));
  });
  return { socket, heard, closed };
}

/** Answers every frame with itself. */
const echo = (seen: (context: CallContext, first: Said) => void = () => undefined) =>
  async function* (requests: AsyncIterable<Said>, context: CallContext) {
    let isOpen = false;
    for await (const said of requests) {
      if (!isOpen) seen(context, said);
      yield isOpen ? { frame: said.frame } : { protocol: 'v1.sample' };
      isOpen = true;
    }
  };

const refusal = (socket: WebSocket): Promise<number | undefined> =>
  new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });

describe('a WebSocket through the gateway', () => {
  it('carries frames of text and bytes both ways, for the caller of its request', async () => {
    let first: Said | undefined;
    let userId: string | undefined;
    streams.on(
      'OpenChannel',
      echo((context, said) => {
        first = said;
        ({ userId } = context.caller);
      }),
    );
    const { socket, heard, closed } = await client();
    await once(socket, 'open');
    expect(socket.protocol).toBe('v1.sample');
    socket.send('é');
    socket.send(Buffer.from([0, 255]));
    await waitFor(() => heard.length === 2);
    expect(heard).toEqual(['é', Buffer.from([0, 255])]);
    expect(first).toMatchObject({ protocol: 'v1.sample', frame: null });
    expect(userId).toBe('id of user-ada');
    socket.close(1000);
    expect(await closed).toEqual([1000, '']);
    await waitFor(() => gateway.log.find(({ status, msg }) => msg === 'request' && status === 101));
  });

  it('is refused as an ordinary request, by the gateway and by the service', async () => {
    streams.on('OpenChannel', async function* () {
      throw notFound('Sample');
      yield {};
    });
    const refused = async (...settings: Parameters<typeof client>) => refusal((await client(...settings)).socket);
    expect(await refused()).toBe(404);
    expect(await refused(PATH, 'no.token.here')).toBe(401);
    expect(await refused('/samples/no-uuid/channel')).toBe(422);
    expect((await streams.fetch(PATH, {}, gateway)).status).toBe(426);
  });

  it('takes a credential of its query, which is logged nowhere', async () => {
    streams.on('OpenChannel', echo());
    const secret = await streams.platform.issuer.token();
    const open = (query: string, ...protocols: string[]) => {
      const url = gateway.url.replace('http', 'ws') + PATH + query;
      const socket = new WebSocket(url, ['v1.sample', ...protocols]);
      opened.push(socket);
      socket.on('error', () => undefined);
      return socket;
    };
    const socket = open(`?session_id=1&token=${secret}`);
    await once(socket, 'open');
    socket.close(1000);
    const bySubprotocol = open('', `v1.token.websocket.jupyter.org.${secret}`);
    await once(bySubprotocol, 'open');
    bySubprotocol.close(1000);
    expect(await refusal(open('?token=no.token.here'))).toBe(401);
    expect(await refusal(open(`?token=${secret}&organisation_id=org_other`))).toBe(403);
    expect(await refusal(open(''))).toBe(401);
    await waitFor(() => gateway.log.filter(({ status, msg }) => msg === 'request' && status === 401).length > 1);
    const logged = JSON.stringify(gateway.log);
    expect(logged).not.toContain(secret.slice(0, 20));
    expect(logged).not.toContain('no.token.here');
  });

  it('is refused to pages of origins that are not allowed, and open to all programs', async () => {
    const guarded = await streams.startGateway({ GATEWAY_CORS_ORIGINS: 'https://app.example.com' });
    streams.on('OpenChannel', echo());
    const open = async (origin?: string) => {
      const authorization = `Bearer ${await streams.platform.issuer.token()}`;
      const headers = { authorization, ...(origin !== undefined && { origin }) };
      const socket = new WebSocket(guarded.url.replace('http', 'ws') + PATH, ['v1.sample'], { headers });
      opened.push(socket);
      socket.on('error', () => undefined);
      return socket;
    };
    const statusFor = async (origin?: string): Promise<unknown> => {
      const socket = await open(origin);
      return Promise.race([refusal(socket), once(socket, 'open').then(() => 'open')]);
    };
    expect(await statusFor('https://app.example.com')).toBe('open');
    expect(await statusFor()).toBe('open');
    for (const foreign of ['https://evil.example', 'https://app.example.com.evil.example', 'null']) {
      expect(await statusFor(foreign)).toBe(403);
    }
    // It would wait for them.
    for (const socket of opened) socket.terminate();
    await guarded.stop();
  });

  it('is no matter where a path takes none: the request is answered as ever', async () => {
    expect(await refusal((await client('/client-groups/')).socket)).toBe(200);
  });

  it('that is asked for before an earlier request is answered ends with its answer, and harms nobody', async () => {
    const { port, log } = gateway;
    const upgrade = `GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    const answers = await exchangeBytes(port, `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${upgrade}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect((await streams.fetch('/healthz', {}, gateway)).status).toBe(200);
    expect(log.find(({ event }) => event === 'service.crashed')).toBeUndefined();
  });

  it('that is asked for behind requests whose client leaves keeps none of them under way', async () => {
    let asked = 0;
    streams.platform.identity.on('ClientGroupService/GetClientGroup', async (_request, { signal }) => {
      asked += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return {};
    });
    const { port, metricsUrl } = gateway;
    const authorization = `Authorization: Bearer ${await streams.platform.issuer.token()}`;
    const get = `GET /client-groups/0199c0de-0000-7000-8000-000000000001/ HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`;
    const connection = await rawConnection(port);
    connection.write(
      `${get.repeat(3)}GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await waitFor(() => asked === 3);
    connection.socket.resetAndDestroy();
    await waitFor(async () => /^gateway_calls_in_flight 0$/m.test(await (await fetch(metricsUrl)).text()));
  });

  it('that is refused leaves no connection behind, whatever its client goes on to send', async () => {
    const { port, metricsUrl } = gateway;
    const connections = async (): Promise<number> =>
      Number(/^nodejs_active_handles\{type="Socket"\} (\d+)$/m.exec(await (await fetch(metricsUrl)).text())?.[1]);
    const before = await connections();
    for (let client = 0; client < 30; client += 1) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
      socket.on('error', () => undefined);
      socket.end('more');
      await closed;
    }
    await waitFor(async () => (await connections()) < before + 15);
  });

  it('is closed with the code of what went wrong', async () => {
    streams.on('OpenChannel', async function* () {
      yield { protocol: 'v1.sample' };
      throw notFound('Sample');
    });
    const { closed } = await client();
    expect(await closed).toEqual([4404, 'sample_not_found']);
  });

  it('is closed when its caller is revoked', async () => {
    streams.on('OpenChannel', echo());
    const { members } = streams.platform.identity;
    members.set('user-bob', [{ organisationId: 'org_bob', level: 'ADMIN' }]);
    const { socket, closed } = await client(PATH, await streams.platform.issuer.token({ claims: { sub: 'user-bob' } }));
    await once(socket, 'open');
    members.delete('user-bob');
    expect(await closed).toEqual([4403, 'no_organisation']);
  });

  it('does not take frames beyond what the contract allows', async () => {
    streams.on('OpenChannel', echo());
    const { socket, closed } = await client();
    await once(socket, 'open');
    socket.send(Buffer.alloc(70_000));
    expect((await closed)[0]).toBe(1009);
  });

  it('stops the work of the service when its client is gone', async () => {
    let context: CallContext | undefined;
    streams.on(
      'OpenChannel',
      echo((given) => (context = given)),
    );
    const { socket } = await client();
    await once(socket, 'open');
    socket.terminate();
    await waitFor(() => context?.signal.aborted);
  });

  it('waits for whichever side is slow', async () => {
    let made = 0;
    let read = 0;
    const go = Promise.withResolvers<undefined>();
    const text = 'x'.repeat(64_000);
    streams.on('OpenChannel', async function* (requests: AsyncIterable<Said>) {
      yield { protocol: 'v1.sample' };
      while (made < 2_000) {
        made += 1;
        yield { frame: { text } };
      }
      await go.promise;
      for await (const { frame } of requests) {
        read += frame ? 1 : 0;
        if (read === 500) break;
      }
    });
    const { socket, heard, closed } = await client();
    await once(socket, 'open');
    socket.pause();
    expect(await streams.stalled(() => made, gateway)).toBeLessThan(1_000);
    socket.resume();
    await waitFor(() => heard.length === 2_000);
    for (let sent = 0; sent < 500; sent += 1) socket.send(text);
    expect(await streams.stalled(() => socket.bufferedAmount, gateway)).toBeGreaterThan(0);
    go.resolve(undefined);
    expect(await closed).toEqual([1000, '']);
    expect(read).toBe(500);
  });

  it.each([
    ['ends', async () => undefined, [1000, '']],
    ['refuses a frame', async () => Promise.reject(notFound('Sample')), [4404, 'sample_not_found']],
  ])(
    'is closed in good order where the service %s before it has taken all that its client has said',
    async (_, end, code) => {
      const go = Promise.withResolvers<undefined>();
      streams.on('OpenChannel', async function* () {
        yield { protocol: 'v1.sample' };
        await go.promise;
        await end();
      });
      const { socket, closed } = await client();
      await once(socket, 'open');
      let taken = 0;
      const count = (error?: Error | null) => void (error || (taken += 1));
      for (let sent = 0; sent < 500; sent += 1) socket.send('x'.repeat(64_000), count);
      expect(await streams.stalled(() => socket.bufferedAmount, gateway)).toBeGreaterThan(0);
      go.resolve(undefined);
      expect(await closed).toEqual(code);
      // The client's goodbye comes behind its frames: the gateway reads on to it, and does not wait for it in vain.
      expect(taken).toBe(500);
    },
  );

  it('is closed before the gateway ends', async () => {
    streams.on('OpenChannel', echo());
    const { socket, closed } = await client();
    await once(socket, 'open');
    gateway.kill('SIGTERM');
    expect(await closed).toEqual([4503, 'draining']);
    expect(await gateway.ended).toBe(0);
  });
});
