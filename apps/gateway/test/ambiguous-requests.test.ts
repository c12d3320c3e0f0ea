import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { exchangeBytes, rawConnection } from './raw-connection.ts';

let platform: PlatformUnderTest;
let token = '';
/** Stands for the header with the good token, which the rows of a table cannot know yet. */
const authorization = 'Authorization: Bearer <token>';
const withToken = (bytes: string): string => bytes.replaceAll('<token>', token);
/** The names of the client groups that somebody had made. */
const made: string[] = [];
beforeAll(async () => {
  // Short, so that a connection that should have been closed ends the test all the same.
  platform = await startPlatform({ GATEWAY_KEEP_ALIVE_MS: '2000' });
  token = await platform.issuer.token();
  platform.identity.on('ClientGroupService/CreateClientGroup', ({ name }: { name: string }) => {
    made.push(name);
    return {};
  });
});
afterAll(() => platform.stop());

const text = (lines: readonly string[], body = ''): string => [...lines, '', body].join('\r\n');
const get = (...headers: string[]): string => text(['GET /client-groups/ HTTP/1.1', ...headers]);
const create = (name: string, ...headers: string[]): string => {
  const body = JSON.stringify({ name });
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const type = 'Content-Type: application/json';
  return text(['POST /client-groups/ HTTP/1.1', 'Host: x', authorization, type, length, ...headers], body);
};
const send = (bytes: string): Promise<string> => exchangeBytes(platform.gateway.port, withToken(bytes));

/** One whole answer in the form of every error, and the end of the connection. */
function expectRefusal(answer: string, status: number, detail: string | RegExp, code: string): void {
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^Connection: close$/im);
  expect(head).toMatch(/^X-Request-Id: [0-9a-f-]{36}$/im);
  expect(head).toContain('X-Api-Version: 0.13.96');
  expect(head).toContain(`X-Error-Code: ${code}`);
  expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(detail), code });
}

describe('a request that says the same thing twice', () => {
  it.each([
    ['Host', get('Host: a', 'Host: b')],
    ['Host', get('Host: a', 'Host: a')],
    ['Authorization', get('Host: x', 'Authorization: Bearer a', 'authorization: Bearer b')],
    ['Api-key', create('twice', 'Api-key: pk_a', 'API-KEY: pk_b')],
    ['X-Organisation-Id', get('Host: x', 'X-Organisation-Id: a', 'X-Organisation-Id: a')],
    ['Idempotency-Key', create('twice', 'Idempotency-Key: a', 'Idempotency-Key: b')],
    ['Content-Type', create('twice', 'Content-Type: text/plain')],
    ['Stripe-Signature', get('Host: x', 'Stripe-Signature: a', 'Stripe-Signature: b')],
    ['Expect', create('twice', 'Expect: 100-continue', 'Expect: 100-continue')],
  ])('is refused: %s', async (name, bytes) => {
    expectRefusal(await send(bytes), 400, `The header ${name} must be sent only once.`, 'duplicate_header');
    expect(made).not.toContain('twice');
  });

  it('is served where the header is a list', async () => {
    const answer = await send(
      get('Host: x', authorization, 'Accept: a/b', 'Accept: c/d', 'X-A: 1', 'X-A: 2', 'Connection: close'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is noticed behind any number of other headers', async () => {
    const many = Array.from({ length: 2_500 }, (_, at) => `${at}:`);
    expectRefusal(await send(get('Host: a', ...many, 'Host: b')), 400, 'The header Host must', 'duplicate_header');
  });
});

describe('a request whose end two programs could see in different places', () => {
  const MALFORMED = 'Invalid HTTP request received.';
  const post = (...lines: string[]): string => text(lines, '0\r\n\r\n');
  it.each([
    ['chunks in HTTP/1.0', post('POST / HTTP/1.0', 'Host: x', 'Transfer-Encoding: chunked', 'Connection: keep-alive')],
    ['an encoding besides chunks', post('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked')],
    ['an encoding without an end', post('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip')],
    ['an encoding much like chunks', post('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: xchunked')],
    ['chunks twice', post('POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
    ['length and chunks', post('POST / HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['two lengths', text(['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2'], 'ab')],
    ['the same length twice', text(['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 1'], 'a')],
    ['a list of lengths', text(['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1, 1'], 'a')],
    ['HTTP/0.9', 'GET /client-groups/\r\n\r\n'],
    ['HTTP/2.0', 'GET /client-groups/ HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a wish to be a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is refused: %s', async (_what, bytes) => {
    expectRefusal(await send(bytes), 400, MALFORMED, 'malformed_request');
  });
});

describe('a request that HTTP wants something else of', () => {
  it.each(['/client-groups/', '/healthz', '/nowhere'])('needs a host, also at %s', async (path) => {
    const answer = await send(`GET ${path} HTTP/1.1\r\n\r\n`);
    expectRefusal(answer, 400, 'The header Host is missing.', 'malformed_request');
  });

  it('needs none in HTTP/1.0', async () => {
    expect(await send('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('may expect nothing but to be told to go on', async () => {
    expectRefusal(
      await send(create('expecting', 'Expect: a miracle')),
      417,
      'Expectation Failed',
      'expectation_failed',
    );
    expect(made).not.toContain('expecting');
  });
});

describe('what follows a refused request on its connection', () => {
  it.each([
    ['that said something twice', create('first', 'Host: y')],
    ['without a host', text(['GET /client-groups/ HTTP/1.1', authorization])],
    ['that cannot be read', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na'],
    [
      'in chunks of HTTP/1.0',
      text(['POST / HTTP/1.0', 'Transfer-Encoding: chunked', 'Connection: keep-alive'], '0\r\n\r\n'),
    ],
  ])('is not carried out, after one %s', async (_what, refused) => {
    const answer = await send(refused + create('smuggled'));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(made).not.toContain('smuggled');
  });

  it('is not carried out after a body that was too large', async () => {
    const connection = await rawConnection(platform.gateway.port);
    const head = text(['POST /client-groups/ HTTP/1.1', 'Host: x', authorization, 'Transfer-Encoding: chunked']);
    const chunk = `${(2 * 1024 * 1024).toString(16)}\r\n${' '.repeat(2 * 1024 * 1024)}\r\n0\r\n\r\n`;
    connection.write(withToken(head + chunk + create('after 413')));
    expectRefusal(await connection.closed, 413, 'Request body too large', 'too_large');
    expect(made).not.toContain('after 413');
  });

  it('is carried out after one that was only answered with an error', async () => {
    const answer = await send(get('Host: x') + create('after 401', 'Connection: close'));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
    expect(made).toContain('after 401');
  });
});
