import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import { repetitions, type SigningKey, type TokenRequest, waitFor } from '@platform-backend/testing';
import fc from 'fast-check';
import { createHmac, createPublicKey } from 'node:crypto';
import { startGatewayHere, type LogLine } from './gateway-here.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
let signingKeys: SigningKey[] = [];
beforeAll(async () => {
  platform = await startPlatform();
  // Published before the gateway first asks for them; the last one signs unless a test says otherwise.
  signingKeys = await Promise.all((['ES256', 'EdDSA', 'RS256'] as const).map((one) => platform.issuer.newKey(one)));
  for (const key of signingKeys) platform.issuer.publish(key);
});
afterAll(() => platform.stop());

const get = (headers: Record<string, string>, path = '/client-groups/'): Promise<Response> =>
  fetch(platform.gateway.url + path, { headers });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const token = (request?: TokenRequest): Promise<string> => platform.issuer.token(request);
const seconds = (): number => Math.floor(Date.now() / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The good token with one part changed by hand. */
async function damaged(change: (header: string, payload: string, signature: string) => string): Promise<string> {
  const [header = '', payload = '', signature = ''] = (await token()).split('.');
  return change(header, payload, signature);
}

/** A token whose HMAC is keyed with public text, which some verifiers mistake for a public key. */
async function hmacWith(secret: string | Buffer, alg = 'HS256'): Promise<string> {
  const [header = '', payload = ''] = (await token()).split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const forged = `${encode({ alg, kid, typ: 'at+jwt' })}.${payload}`;
  return `${forged}.${createHmac('sha256', secret).update(forged).digest('base64url')}`;
}

const publicKeyOf = async (): Promise<{ pem: string; jwk: string; der: Buffer }> => {
  const { keys } = (await (await fetch(platform.issuer.jwksUrl)).json()) as { keys: Record<string, unknown>[] };
  const key = createPublicKey({ key: keys.at(-1) as never, format: 'jwk' });
  return {
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    jwk: JSON.stringify(keys.at(-1)),
    der: key.export({ type: 'spki', format: 'der' }),
  };
};

const forgeries: [string, () => Promise<string>][] = [
  ['alg none with an empty signature', () => damaged((_h, p) => `${encode({ alg: 'none' })}.${p}.`)],
  ['alg None in another case', () => damaged((_h, p) => `${encode({ alg: 'nOnE', typ: 'JWT' })}.${p}.`)],
  ['alg none with the old signature', () => damaged((_h, p, s) => `${encode({ alg: 'none' })}.${p}.${s}`)],
  ['no alg at all', () => damaged((_h, p, s) => `${encode({ typ: 'JWT' })}.${p}.${s}`)],
  ['HS256 keyed with the public key as PEM', async () => hmacWith((await publicKeyOf()).pem)],
  ['HS256 keyed with the public key as DER', async () => hmacWith((await publicKeyOf()).der)],
  ['HS256 keyed with the public JWK', async () => hmacWith((await publicKeyOf()).jwk)],
  ['HS256 keyed with nothing', () => hmacWith('')],
  ['an HMAC under the name RS256', async () => hmacWith((await publicKeyOf()).pem, 'RS256')],
  [
    'another algorithm of the same key',
    () => damaged((h, p, s) => `${encode({ ...decode(h), alg: 'PS256' })}.${p}.${s}`),
  ],
  ['a wrong issuer', () => token({ claims: { iss: 'https://evil.example' } })],
  ['an issuer with a slash too many', () => token({ claims: { iss: `${platform.issuer.issuer}/` } })],
  ['no issuer', () => token({ claims: { iss: undefined } })],
  ['a wrong audience', () => token({ claims: { aud: 'other' } })],
  ['no audience', () => token({ claims: { aud: undefined } })],
  ['an empty list of audiences', () => token({ claims: { aud: [] } })],
  ['an expiry beyond the skew', () => token({ claims: { exp: seconds() - 61 } })],
  ['no expiry', () => token({ claims: { exp: undefined } })],
  ['an expiry that is text', () => token({ claims: { exp: 'tomorrow' } })],
  ['a beginning beyond the skew', () => token({ claims: { nbf: seconds() + 120 } })],
  ['no subject', () => token({ claims: { sub: undefined } })],
  ['an empty subject', () => token({ claims: { sub: '' } })],
  ['a subject of more than 255 characters', () => token({ claims: { sub: 'x'.repeat(256) } })],
  ['a NUL in the subject', () => token({ claims: { sub: 'user-ada\0' } })],
  ['a NUL in the e-mail address', () => token({ claims: { email: 'ada\0@example.com' } })],
  ['an e-mail address of 5 KB', () => token({ claims: { email: `${'x'.repeat(5_000)}@example.com` } })],
  ['an e-mail address that is none', () => token({ claims: { email: 'ada' } })],
  ['a NUL in the organisation', () => token({ claims: { org_id: 'org_ada\0' } })],
  ['an organisation of 5 KB', () => token({ claims: { org_id: 'x'.repeat(5_000) } })],
  ['the type of an ID token', () => token({ header: { typ: 'JWT' }, claims: { typ: 'ID' } })],
  ['a nonce, as ID tokens have', () => token({ claims: { nonce: 'n-0S6_WzA2Mj' } })],
  ['an unknown key id', async () => token({ key: await platform.issuer.newKey('RS256', 'nobody') })],
  ['another key under the known id', async () => forgedWithKnownId()],
  [
    'an injected jku',
    async () => token({ header: { jku: 'https://evil.example/jwks' }, key: await platform.issuer.newKey() }),
  ],
  [
    'an injected jwk',
    async () => {
      const key = await platform.issuer.newKey();
      return token({ header: { jwk: key.publicJwk }, key });
    },
  ],
  [
    'an injected x5u',
    async () => token({ header: { x5u: 'https://evil.example/cert' }, key: await platform.issuer.newKey() }),
  ],
  [
    'a critical header that nobody knows',
    () => damaged((h, p, s) => `${encode({ ...decode(h), crit: ['exp'], exp: 1 })}.${p}.${s}`),
  ],
  ['a payload changed after signing', () => damaged((h, p, s) => `${h}.${encode({ ...decode(p), sub: 'root' })}.${s}`)],
  [
    'a signature with one character changed',
    () => damaged((h, p, s) => `${h}.${p}.${s.startsWith('A') ? 'B' : 'A'}${s.slice(1)}`),
  ],
  ['a signature cut short', () => damaged((h, p, s) => `${h}.${p}.${s.slice(0, -8)}`)],
  ['no signature', () => damaged((h, p) => `${h}.${p}`)],
  ['four parts', () => damaged((h, p, s) => `${h}.${p}.${s}.${s}`)],
  ['five parts, as if encrypted', () => damaged((h, p, s) => `${h}..${p}.${s}.${s}`)],
  ['a header that is no JSON', () => damaged((_h, p, s) => `bm9wZQ.${p}.${s}`)],
  ['characters outside the alphabet', () => damaged((h, p, s) => `${h}.${p}.${s}!`)],
  ['an oversized token', () => token({ claims: { padding: 'x'.repeat(10_000) } })],
  ['no token but words', () => Promise.resolve('let me in please')],
  ['an API key that was never issued', () => Promise.resolve(newApiKey())],
  ['an API key that is mistyped', () => Promise.resolve('pk_notakey')],
];

const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

async function forgedWithKnownId(): Promise<string> {
  const [header = ''] = (await token()).split('.');
  return token({ key: await platform.issuer.newKey('RS256', String(decode(header)['kid'])) });
}

describe('a forged or damaged credential', () => {
  it('is tried in at least thirty forms', () => {
    expect(forgeries.length).toBeGreaterThanOrEqual(30);
  });

  it.each(forgeries)('with %s is refused, and says nothing about why', async (_what, forge) => {
    const forged = bearer(await forge());
    // Whether the issuer has a key of this id may take a second to be known.
    const response = await waitFor(async () => {
      const answer = await get(forged);
      return answer.status === 503 ? undefined : answer;
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      detail: 'Invalid or expired token',
      code: expect.stringMatching(/^invalid_(?:token|api_key)$/),
    });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('the reason why a credential is refused', () => {
  const headerOf = (text: string): Promise<string> =>
    damaged((_h, p, s) => `${Buffer.from(text).toString('base64url')}.${p}.${s}`);

  it.each<[string, () => Promise<string>]>([
    ['The token has "nonce", so it is no access token.', () => token({ claims: { nonce: 'a secret' } })],
    ['unexpected "aud" claim value', () => token({ claims: { aud: 'a secret' } })],
    ['The e-mail address is none.', () => token({ claims: { email: 'a secret' } })],
    ['The header is no JSON.', () => headerOf('a secret')],
  ])('is in the log, with nothing of the credential: %s', async (reason, refused) => {
    const response = await get(bearer(await refused()));
    const requestId = response.headers.get('x-request-id');
    const lines = (): LogLine[] => platform.gateway.log.filter((line) => line['requestId'] === requestId);
    await waitFor(() => lines().length === 2, { what: 'both lines of the request' });
    expect(lines()[0]).toMatchObject({ msg: 'credential refused', code: 'invalid_token', cause: reason });
    expect(JSON.stringify(lines())).not.toContain('a secret');
  });
});

describe('a good token', () => {
  it('is accepted with each algorithm that the issuer publishes a key for', async () => {
    for (const key of signingKeys) expect((await get(bearer(await token({ key })))).status).toBe(200);
  });

  it('is refused by a gateway that was told to accept other algorithms', async () => {
    const strict = await startGatewayHere({ ...platform.env, OIDC_ALGORITHMS: 'ES256,PS256' });
    try {
      for (const key of signingKeys) {
        const { status } = await fetch(`${strict.url}/client-groups/`, { headers: bearer(await token({ key })) });
        expect(status).toBe(key.algorithm === 'ES256' ? 200 : 401);
      }
    } finally {
      await strict.stop();
    }
  });

  it('is accepted whatever the name in it, which is cut and cleaned', async () => {
    const name = `Ada\0 \ud800${'\u{1f469}\u{1f3fd}\u200d\u{1f680}'.repeat(200)}`;
    expect((await get(bearer(await token({ claims: { name } })))).status).toBe(200);
    expect(platform.identity.callers.at(-1)?.userName).toMatch(/^Ada \ufffd\u{1f469}\u{1f3fd}\u200d\u{1f680}/u);
  });

  it('is accepted or refused, and nothing else, whatever its claims say', async () => {
    const units = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x0a, 0x40, 0xd800, 0xfffe));
    const text = fc.array(units, { maxLength: 400 }).map((all) => String.fromCharCode(...all));
    const claim = fc.oneof(text, fc.constantFrom('ada', 'ada@example.com', 'x'.repeat(2_500)), fc.jsonValue());
    const claims = fc.record({ sub: claim, email: claim, email_verified: claim, name: claim, org_id: claim });
    await fc.assert(
      fc.asyncProperty(claims, async (anything) => {
        const response = await get(bearer(await token({ claims: anything })), '/organisations/');
        expect([200, 401]).toContain(response.status);
      }),
      { numRuns: repetitions({ usual: 50, long: 200 }) },
    );
  });

  it('is accepted within the skew of 30 seconds', async () => {
    expect((await get(bearer(await platform.issuer.token({ claims: { exp: seconds() - 15 } })))).status).toBe(200);
    expect((await get(bearer(await platform.issuer.token({ claims: { nbf: seconds() + 15 } })))).status).toBe(200);
  });

  it('is accepted whatever the case of the scheme', async () => {
    const good = await token();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await get({ authorization: `${scheme} ${good}` })).status).toBe(200);
    }
  });
});

describe('an issuer that is down', () => {
  it('does not stop tokens signed with a key that was seen before', async () => {
    await platform.issuer.stop();
    try {
      expect((await get(bearer(await token({ claims: { jti: 'while the issuer is down' } })))).status).toBe(200);
    } finally {
      await platform.issuer.start();
    }
  });

  it('makes a gateway that never saw its keys answer 503, and nothing worse', async () => {
    await platform.issuer.stop();
    const replica = await startGatewayHere(platform.env);
    try {
      const ask = async (): Promise<Response> =>
        fetch(`${replica.url}/client-groups/`, { headers: bearer(await token()) });
      const response = await ask();
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await platform.issuer.start();
      await waitFor(async () => (await ask()).status === 200, {
        what: 'the replica to learn the keys',
      });
    } finally {
      await platform.issuer.start();
      await replica.stop();
    }
  });
});

describe('a request without a credential', () => {
  it.each([
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: 'Basic YTpi' },
  ])('is not authenticated: %j', async (headers) => {
    const response = await get(headers);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ detail: 'Not authenticated' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('x-error-code')).toBe('unauthenticated');
  });
});

describe('looking callers up', () => {
  it('is shared by requests that come at once', async () => {
    const fresh = bearer(await token({ claims: { sub: 'user-ada', jti: 'fresh' } }));
    const before = platform.identity.lookUps;
    const responses = await Promise.all(Array.from({ length: 20 }, () => get(fresh)));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    // One, where they all come within the second that it is remembered.
    expect(platform.identity.lookUps - before).toBeLessThan(responses.length);
  });

  it('is 503 with Retry-After where identity does not answer, for nothing has begun that could be in doubt', async () => {
    platform.identity.unanswered.add('user-slow');
    const response = await get(bearer(await token({ claims: { sub: 'user-slow' } })));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});

describe('authentication comes before the body', () => {
  it('refuses without a credential however broken the body is', async () => {
    const response = await fetch(`${platform.gateway.url}/client-groups/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(response.status).toBe(401);
  });
});
