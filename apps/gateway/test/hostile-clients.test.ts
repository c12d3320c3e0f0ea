import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { exchangeBytes, groupRequestHead, rawConnection, type RawConnection } from './raw-connection.ts';

const MIB = 1024 * 1024;

let platform: PlatformUnderTest<GatewayProcess>;
let token = '';
beforeAll(async () => {
  const limits = { GATEWAY_HEADERS_TIMEOUT_MS: '800', GATEWAY_REQUEST_TIMEOUT_MS: '1600' };
  // Bytes that are no request are to harm no process.
  platform = await startPlatform(limits, startGatewayProcess);
  token = await platform.issuer.token();
});
afterAll(() => platform.stop());

describe('a flood of one caller beside another', () => {
  it('has its calls in turns, loses none of them, and leaves none behind whose client has gone', async () => {
    platform.identity.members.set('user-bob', [{ organisationId: 'org_bob', level: 'ADMIN' }]);
    const bob = { authorization: `Bearer ${await platform.issuer.token({ claims: { sub: 'user-bob' } })}` };
    let isHeld = true;
    const held: (() => void)[] = [];
    platform.identity.on('OrganisationService/GetCurrentOrganisation', () =>
      isHeld ? new Promise((resolve) => held.push(() => resolve({}))) : {},
    );
    const ask = (init: RequestInit = {}): Promise<number> =>
      platform.fetch('/organisations/current/', init).then(({ status }) => status);
    const leaving = new AbortController();
    // Whoever calls next is not alone.
    const first = ask({ headers: bob });
    await waitFor(() => held.length === 1);
    const flood = Array.from({ length: 40 }, () => ask());
    const gone = Array.from({ length: 10 }, () => ask({ signal: leaving.signal }).catch(() => 'gone'));
    await waitFor(() => held.length > 9, { what: 'calls that last to make way for others' });
    leaving.abort();
    expect(new Set(await Promise.all(gone))).toEqual(new Set(['gone']));
    isHeld = false;
    for (const answer of held) answer();
    expect(await first).toBe(200);
    // Those that arrived while it was still so are among them.
    const answering = setInterval(() => held.splice(0).forEach((answer) => answer()), 10);
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
    expect(await ask({ headers: bob })).toBe(200);
    clearInterval(answering);
  });
});

describe('a client that leaves before it is answered', () => {
  it('has nothing more done for any of its requests, also those whose answers wait for an earlier one', async () => {
    let [asked, givenUp] = [0, 0];
    platform.identity.on('ClientGroupService/GetClientGroup', async (_request, { signal }) => {
      asked += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      givenUp += 1;
      return {};
    });
    const path = '/client-groups/0199c0de-0000-7000-8000-000000000001/';
    const connection = await rawConnection(platform.gateway.port);
    connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(3));
    await waitFor(() => asked === 3);
    connection.socket.resetAndDestroy();
    await waitFor(() => givenUp === 3);
    const metrics = async (): Promise<string> => (await fetch(platform.gateway.metricsUrl)).text();
    await waitFor(async () => /^gateway_calls_in_flight 0$/m.test(await metrics()));
  });
});

describe('a body that nobody asked for', () => {
  let patient: PlatformUnderTest;
  beforeAll(async () => {
    patient = await startPlatform();
  });
  afterAll(() => patient.stop());

  const GIB = 1024 * MIB;
  /** Writes as fast as it goes until the connection is closed; answers what was received. */
  const pour = async (connection: RawConnection): Promise<string> => {
    const { socket } = connection;
    const chunk = Buffer.alloc(MIB, ' ');
    while (socket.writable && socket.bytesWritten < 8 * GIB) {
      if (socket.write(chunk)) continue;
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), connection.closed]);
    }
    return connection.closed;
  };

  it.each([
    ['GET', '/client-groups/', 200],
    ['DELETE', '/client-groups/', 405],
    ['POST', '/nowhere/', 404],
    ['POST', '/client-groups/', 401],
    ['GET', '/healthz', 200],
  ])(
    'is not read without end: %s %s is answered %d, then the connection ends',
    async (method, path, status) => {
      const authorization = status === 401 ? 'X-A: b' : `Authorization: Bearer ${await patient.issuer.token()}`;
      const connection = await rawConnection(patient.gateway.port);
      connection.write(
        [`${method} ${path} HTTP/1.1`, 'Host: x', authorization, `Content-Length: ${100 * GIB}`, '', ''].join('\r\n'),
      );
      expect(await pour(connection)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(connection.socket.bytesWritten).toBeLessThan(8 * GIB);
    },
    30_000,
  );

  it('is not waited for without end', async () => {
    const connection = await rawConnection(patient.gateway.port);
    connection.write('GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const drip = setInterval(() => connection.write('1\r\nx\r\n'), 100);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 200 /);
    clearInterval(drip);
  });

  it('does not end the connection when it is small', async () => {
    const answer = await exchangeBytes(
      patient.gateway.port,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe('a slow client', () => {
  it('that never finishes its headers is cut off with 408', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write('GET /client-groups/ HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => connection.write('X-A: b\r\n'), 100);
    const answer = await connection.closed;
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('{"detail":"Request timeout","code":"request_timeout"}');
  });

  it('that drips its body is cut off, and others are served meanwhile', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(groupRequestHead(token, 'Content-Length: 100000'));
    const drip = setInterval(() => connection.write(' '), 100);
    expect((await platform.fetch('/client-groups/')).status).toBe(200);
    await connection.closed;
    clearInterval(drip);
  });

  it('in a crowd of hundreds keeps nobody else from being served', async () => {
    const crowd = await Promise.all(Array.from({ length: 300 }, () => rawConnection(platform.gateway.port)));
    for (const connection of crowd) connection.write('GET / HTTP/1.1\r\nHost: x\r\nX-A: ');
    expect((await platform.fetch('/client-groups/')).status).toBe(200);
    await Promise.all(crowd.map(({ closed }) => closed));
  });
});

describe('bytes that are not a request', () => {
  it.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunks at once',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a header with a space before its colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['what only proxies do', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['headers beyond 16 KiB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('such as %s are refused and the connection closed', async (_what, bytes, status) => {
    const answer = await exchangeBytes(platform.gateway.port, bytes);
    expect(answer).toMatch(new RegExp(`HTTP/1\\.1 ${status} `));
    expect(platform.gateway.running).toBe(true);
  });

  it('such as a broken chunk are refused while the body is read', async () => {
    const answer = await exchangeBytes(
      platform.gateway.port,
      `${groupRequestHead(token, 'Transfer-Encoding: chunked')}zz\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are refused in the form of every other error', async () => {
    const answer = await exchangeBytes(platform.gateway.port, 'HELLO\r\n\r\n');
    expect(answer).toContain('{"detail":"Invalid HTTP request received.","code":"malformed_request"}');
    expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(answer).toContain('X-Api-Version: 0.13.96\r\n');
    expect(answer).toContain('X-Error-Code: malformed_request\r\n');
  });

  it('and a connection reset after a CONNECT harm nobody', async () => {
    for (let client = 0; client < 20; client += 1) {
      const connection = await rawConnection(platform.gateway.port);
      connection.write('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');
      connection.socket.resetAndDestroy();
      await connection.closed;
    }
    expect((await platform.fetch('/client-groups/')).status).toBe(200);
    expect(platform.gateway.log.find(({ event }) => event === 'service.crashed')).toBeUndefined();
  });

  it('and a connection reset in the middle of a body harm nobody', async () => {
    const connection = await rawConnection(platform.gateway.port);
    connection.write(`${groupRequestHead(token, 'Content-Length: 1000')}{"name":`);
    connection.socket.resetAndDestroy();
    await connection.closed;
    expect((await platform.fetch('/client-groups/')).status).toBe(200);
  });
});
