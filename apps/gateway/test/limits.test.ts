import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { startGatewayHere } from './gateway-here.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { exchangeBytes, groupRequestHead, rawConnection, type RawConnection } from './raw-connection.ts';

const MIB = 1024 * 1024;
const TOO_LARGE = '{"detail":"Request body too large","code":"too_large"}';

let platform: PlatformUnderTest<GatewayProcess>;
let token = '';
beforeAll(async () => {
  const limits = { GATEWAY_HEADERS_TIMEOUT_MS: '800', GATEWAY_REQUEST_TIMEOUT_MS: '1600' };
  // Bytes that are no request are to harm no process.
  platform = await startPlatform(limits, startGatewayProcess);
  token = await platform.issuer.token();
});
afterAll(() => platform.stop());

const chunk = (data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
const LAST_CHUNK = '0\r\n\r\n';

/** Valid JSON of exactly this many bytes. */
const jsonOf = (bytes: number): Buffer => {
  const frame = '{"name":"Legal","ignored":""}';
  return Buffer.from(frame.replace('""', () => `"${'x'.repeat(bytes - frame.length)}"`));
};

const post = (body: Buffer | string): Promise<Response> =>
  platform.fetch('/client-groups/', { method: 'POST', headers: { 'content-type': 'application/json' }, body });

/** Saves a notebook of so many bytes. */
const save = (path: string, bytes: number): Promise<Response> => {
  const headers = { 'content-type': 'application/json' };
  return platform.fetch(path, { method: 'PUT', headers, body: `{"content":{}}`.padEnd(bytes) });
};

describe('a JSON body', () => {
  it('of exactly 1 MiB is read', async () => {
    expect((await post(jsonOf(MIB))).status).toBe(200);
  });

  it('of one byte more is refused, and the connection is closed', async () => {
    const response = await post(jsonOf(MIB + 1));
    expect(response.status).toBe(413);
    expect(await response.text()).toBe(TOO_LARGE);
    expect(response.headers.get('x-error-code')).toBe('too_large');
    expect(response.headers.get('connection')).toBe('close');
  });

  it('is as large as the contract says of its operation where that is more', async () => {
    // There is no service behind it: whatever is read is answered 503.
    expect((await save('/notebooks/3fa85f64-5717-4562-b3fc-2c963f66afa6', 2 * MIB)).status).toBe(503);
    expect((await save('/notebooks/3fa85f64-5717-4562-b3fc-2c963f66afa6', 2 * MIB + 1)).status).toBe(413);
  });

  it('beyond the limit is told how the same is done with more, where the contract has a way', async () => {
    const told = 'a notebook of up to 16 MiB is sent as a file: PUT /notebooks/{notebook_id}/import';
    const saved = await save('/notebooks/3fa85f64-5717-4562-b3fc-2c963f66afa6', 3 * MIB);
    expect([saved.status, await saved.json()]).toEqual([
      413,
      { detail: `Request body too large: ${told}`, code: 'too_large' },
    ]);
  });

  it('in chunks is counted as it comes', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(groupRequestHead(token, 'Transfer-Encoding: chunked'));
    for (let sent = 0; sent < 3 * MIB; sent += 64 * 1024) connection.write(chunk(Buffer.alloc(64 * 1024, 0x20)));
    connection.write(LAST_CHUNK);
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(TOO_LARGE);
  });

  it('in chunks within the limit is read', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(groupRequestHead(token, 'Transfer-Encoding: chunked', 'Connection: close'));
    for (const byte of '{"name":"Legal"}') connection.write(chunk(Buffer.from(byte)));
    connection.write(LAST_CHUNK);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that is announced too large is refused before a byte of it is sent', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(groupRequestHead(token, `Content-Length: ${5 * MIB}`, 'Expect: 100-continue'));
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).not.toContain('100 Continue');
  });

  it('that waits for our word gets it once the caller is known', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(groupRequestHead(token, 'Content-Length: 16', 'Expect: 100-continue', 'Connection: close'));
    await new Promise((resolve) => connection.socket.once('data', resolve));
    expect(connection.received).toMatch(/^HTTP\/1\.1 100 Continue/);
    connection.write('{"name":"Legal"}');
    expect(await connection.closed).toContain('HTTP/1.1 200 ');
  });

  it('of another length than announced harms nobody', async () => {
    const answer = await exchangeBytes(
      platform.gateway.port,
      `${groupRequestHead(token, 'Content-Length: 16', 'Connection: close')}{"name":"Legal"}GET / HTTP/1.1\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('nested 64 deep is read, and one level more is not', async () => {
    const nested = (depth: number): string => `{"name":"Legal","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect((await post(nested(64))).status).toBe(200);
    const response = await post(nested(65));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: 'There was an error parsing the body' });
    expect((await post('['.repeat(500_000))).status).toBe(400);
  });
});

it('takes JSON that is nested as deep as it is set to, and no deeper', async () => {
  const shallow = await startGatewayHere({ ...platform.env, GATEWAY_JSON_NESTING: '3' });
  try {
    const create = async (body: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await fetch(`${shallow.url}/client-groups/`, { method: 'POST', headers, body })).status;
    };
    expect(await create('{"name":"Legal","x":[[1.5]]}')).toBe(200);
    expect(await create('{"name":"Legal","x":[[[]]]}')).toBe(400);
    expect(await create('{"name":"Legal","x":[[[1.5]]]}')).toBe(400);
  } finally {
    await shallow.stop();
  }
});

describe('an audio body', () => {
  const upload = (bytes: number): Promise<Response> => {
    const form = new FormData();
    form.set('audio', new Blob([new Uint8Array(bytes)], { type: 'audio/wav' }), 'a.wav');
    return platform.fetch('/inference/transcribe', { method: 'POST', body: form });
  };

  it('may be larger than a JSON body', async () => {
    // No content service is configured here: 503 says that the body was read and accepted.
    expect((await upload(2 * MIB)).status).toBe(503);
  });

  it('beyond 25 MiB is refused', async () => {
    expect((await upload(26 * MIB)).status).toBe(413);
  });

  it.each(['application/x-www-form-urlencoded', 'application/json', 'audio/wav', 'multipart/mixed; boundary=x', ''])(
    'of the type "%s" may be no larger than JSON, for only a form of parts can have a file in it',
    async (type) => {
      const send = (bytes: number): Promise<Response> =>
        platform.fetch('/inference/transcribe', {
          method: 'POST',
          headers: { 'content-type': type },
          body: Buffer.alloc(bytes, 'a'),
        });
      expect((await send(MIB)).status).toBe(422);
      expect((await send(MIB + 1)).status).toBe(413);
    },
  );
});

describe('bodies that are held at once', () => {
  const ROOM = 300_000;
  let small: PlatformUnderTest<GatewayProcess>;
  beforeAll(async () => {
    small = await startPlatform({ GATEWAY_BODY_MEMORY_LIMIT_BYTES: String(ROOM) }, startGatewayProcess);
  });
  afterAll(() => small.stop());

  const post = (bytes: number): Promise<Response> =>
    small.fetch('/client-groups/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: jsonOf(bytes),
    });

  it('are refused with 503 where they would take more room than there is, and read again once there is room', async () => {
    const answering = Promise.withResolvers<unknown>();
    const arrived = Promise.withResolvers<unknown>();
    small.identity.on('ClientGroupService/CreateClientGroup', () => {
      arrived.resolve(undefined);
      return answering.promise;
    });
    const first = post(ROOM - 1_000);
    await arrived.promise;

    const second = await post(2_000);
    expect([second.status, await second.json()]).toEqual([503, { detail: 'Service Unavailable', code: 'overloaded' }]);
    expect(second.headers.get('x-error-code')).toBe('overloaded');
    expect(second.headers.get('retry-after')).toBe('1');
    // Who sends no body is served all the same.
    expect((await small.fetch('/client-groups/')).status).toBe(200);

    answering.resolve({});
    expect((await first).status).toBe(200);
    // What is refused gives its room back as well.
    expect((await post(ROOM + 1)).status).toBe(503);
    expect((await post(ROOM)).status).toBe(200);
  });

  it('and are broken off leave their room behind', async () => {
    const authorization = `Authorization: Bearer ${await small.issuer.token()}`;
    const lines = ['POST /client-groups/ HTTP/1.1', 'Host: gateway', authorization, `Content-Length: ${ROOM}`];
    const connection = await waitFor(async () => {
      const upload = await rawConnection(small.gateway.port);
      upload.write([...lines, '', ' '.repeat(ROOM - 1)].join('\r\n'));
      if ((await post(2_000)).status === 503) return upload;
      // The small body was there first.
      upload.socket.resetAndDestroy();
      return undefined;
    });
    connection.socket.resetAndDestroy();
    await waitFor(async () => (await post(ROOM)).status === 200);
  });
});

describe('one caller that lets bodies trickle in', () => {
  const SHARE = 100_000;
  let shared: PlatformUnderTest;
  let neighbour = '';
  beforeAll(async () => {
    shared = await startPlatform({
      GATEWAY_BODY_MEMORY_CALLER_LIMIT_BYTES: String(SHARE),
      GATEWAY_BODY_MEMORY_ADDRESS_LIMIT_BYTES: String(2 * SHARE),
      GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
    });
    shared.identity.members.set('user-bob', [{ organisationId: 'org_bob', level: 'ADMIN' }]);
    neighbour = await shared.issuer.token({ claims: { sub: 'user-bob' } });
  });
  afterAll(() => shared.stop());

  const post = (bytes: number, headers: Record<string, string> = {}): Promise<Response> =>
    shared.fetch('/client-groups/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: jsonOf(bytes),
    });
  /** Sends all of a body but its last byte, from this address, and waits until it is held. */
  const hold = async (token: string, bytes: number, address: string): Promise<RawConnection> => {
    const connection = await rawConnection(shared.gateway.port);
    const lines = [
      'POST /client-groups/ HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      `X-Forwarded-For: ${address}`,
      `Content-Length: ${bytes}`,
    ];
    connection.write([...lines, '', ' '.repeat(bytes - 1)].join('\r\n'));
    const probe = { authorization: `Bearer ${token}`, 'x-forwarded-for': address };
    await waitFor(async () => (await post(SHARE - bytes + 100, probe)).status === 429);
    return connection;
  };

  it('fills its own share, and its neighbour is served', async () => {
    const upload = await hold(await shared.issuer.token(), SHARE, '192.0.2.1');
    const refused = await post(1_000, { 'x-forwarded-for': '192.0.2.2' });
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { detail: 'Too many requests', code: 'held_bodies_limit_reached' },
    ]);
    expect(refused.headers.get('x-error-code')).toBe('held_bodies_limit_reached');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit-policy')).toBe('"held-bodies";q=100000;qu="content-bytes"');

    const authorization = `Bearer ${neighbour}`;
    expect((await post(SHARE, { authorization, 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
    upload.socket.resetAndDestroy();
    await waitFor(async () => (await post(SHARE)).status === 200);
  });

  it('fills the share of its address under several names, and other addresses are served', async () => {
    const uploads = [
      await hold(await shared.issuer.token(), SHARE, '192.0.2.1'),
      await hold(neighbour, SHARE, '192.0.2.1'),
    ];
    shared.identity.members.set('user-eve', [{ organisationId: 'org_eve', level: 'ADMIN' }]);
    const authorization = `Bearer ${await shared.issuer.token({ claims: { sub: 'user-eve' } })}`;
    expect((await post(1_000, { authorization, 'x-forwarded-for': '192.0.2.1' })).status).toBe(429);
    expect((await post(1_000, { authorization, 'x-forwarded-for': '192.0.2.2' })).status).toBe(200);
    for (const { socket } of uploads) socket.resetAndDestroy();
  });
});
