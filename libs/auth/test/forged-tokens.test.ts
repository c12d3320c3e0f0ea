import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tokenVerifier, type TokenVerifier } from '@platform-backend/auth';
import { DomainError, fixedClock } from '@platform-backend/core';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { createHmac, createSign, generateKeyPairSync, sign as rawSign, constants, KeyObject } from 'node:crypto';
import { issuerKey, localIssuer, signToken, type IssuerKey, type LocalIssuer } from './local-issuer.ts';

const clock = fixedClock('2026-03-01T12:00:00Z');
const seconds = (): number => clock.now().getTime() / 1000;
const now = seconds();

let rsa: IssuerKey;
let ec: IssuerKey;
let ed: IssuerKey;
let issuer: LocalIssuer;
let verifier: TokenVerifier;
let good: Record<string, unknown>;

beforeAll(async () => {
  [rsa, ec, ed] = await Promise.all([issuerKey('rsa', 'RS256'), issuerKey('ec', 'ES256'), issuerKey('ed', 'EdDSA')]);
  issuer = await localIssuer([rsa.jwk, ec.jwk, ed.jwk]);
  good = {
    iss: issuer.issuer,
    aud: 'platform-api',
    sub: 'ada',
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada Lovelace',
    org_id: 'org_1',
    iat: now,
    exp: now + 300,
  };
  verifier = tokenVerifier({
    issuer: issuer.issuer,
    audience: 'platform-api',
    jwksUrl: `${issuer.issuer}/keys`,
    clock,
  });
});
afterAll(() => issuer.goDown());

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const token = (parts: Parameters<typeof signToken>[2] = {}, key = rsa) => signToken(key, good, parts);

/** Signs any header and payload with the issuer's own RSA key: what nobody but the issuer could do. */
function signedText(header: unknown, payload: unknown): string {
  const input = `${encode(header)}.${encode(payload)}`;
  const signature = createSign('RSA-SHA256').update(input).sign(KeyObject.from(rsa.privateKey));
  return `${input}.${signature.toString('base64url')}`;
}
const goodHeader = { alg: 'RS256', kid: 'rsa' };

/** Replaces the middle character of one part of a token by another. */
function damage(text: string, part: 0 | 1 | 2): string {
  const parts = text.split('.');
  const chosen = parts[part] ?? '';
  const middle = Math.floor(chosen.length / 2);
  parts[part] = chosen.slice(0, middle) + (chosen[middle] === 'A' ? 'B' : 'A') + chosen.slice(middle + 1);
  return parts.join('.');
}

describe('a good token', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s is accepted', async (alg) => {
    const key = [rsa, ec, ed].find((each) => each.alg === alg);
    expect(await verifier.verify(await token({}, key))).toEqual({
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada Lovelace',
      organisationId: 'org_1',
      issuedAt: new Date('2026-03-01T12:00:00Z'),
      expiresAt: new Date('2026-03-01T12:05:00Z'),
    });
  });

  it.each<[string, Parameters<typeof signToken>[2]]>([
    ['of type JWT', { header: { typ: 'JWT' } }],
    ['of type at+jwt', { header: { typ: 'at+JWT' } }],
    ["of type Bearer, as Keycloak's are", { header: { typ: 'JWT' }, claims: { typ: 'Bearer', sid: 's', azp: 'app' } }],
    ['of type at+jwt in its claims', { claims: { typ: 'at+jwt' } }],
    ["for access, as Cognito's are", { claims: { token_use: 'access' } }],
    ['for several audiences, ours among them', { claims: { aud: ['else', 'platform-api'] } }],
    ['expired less than half a minute ago', { claims: { exp: now - 29 } }],
    ['valid in less than half a minute', { claims: { nbf: now + 29, iat: now + 29 } }],
    ['without e-mail, name and organisation', { claims: { email: undefined, name: undefined, org_id: undefined } }],
    [
      'with claims of other types than we expect',
      { claims: { email: 1, name: {}, org_id: [], email_verified: 'yes' } },
    ],
  ])('%s is accepted', async (_, parts) => {
    expect(await verifier.verify(await token(parts))).toMatchObject({ subject: 'ada' });
  });
});

describe('a forged or damaged token is refused', () => {
  const FORGERIES: [string, () => string | Promise<string>][] = [
    // Algorithm
    ['alg none without a signature', () => `${encode({ alg: 'none' })}.${encode(good)}.`],
    [
      'alg none with a signature',
      async () => `${encode({ alg: 'none', kid: 'rsa' })}.${encode(good)}.${(await token()).split('.')[2] ?? ''}`,
    ],
    ['alg None, in another case', () => signedText({ alg: 'nOnE', kid: 'rsa' }, good)],
    ['HS256 with the public key in PEM as its secret', async () => hmacToken(await exportSPKI(rsa.publicKey))],
    ['HS256 with the published key as its secret', () => hmacToken(JSON.stringify(rsa.jwk))],
    ['HS256 with an empty secret', () => hmacToken('')],
    ['RS384 by the right key', () => signedAs('RS384', 'RSA-SHA384')],
    ['RS512 by the right key', () => signedAs('RS512', 'RSA-SHA512')],
    ['PS256 by the right key', () => pssToken()],
    ['RS1', () => signedAs('RS1', 'RSA-SHA1')],
    ['no algorithm', () => signedText({ kid: 'rsa' }, good)],
    ['an algorithm that is no text', () => signedText({ alg: ['RS256'], kid: 'rsa' }, good)],
    ['ES256 said, RS256 signed', () => signedText({ alg: 'ES256', kid: 'rsa' }, good)],
    ['EdDSA by an EC key id', () => token({ header: { kid: 'ec' } }, ed)],
    // Key
    [
      'signed by a stranger under a known key id',
      async () => signToken({ ...(await issuerKey('rsa')), kid: 'rsa' }, good),
    ],
    ['signed by a stranger with an EC key', async () => signToken(await issuerKey('ec', 'ES256'), good)],
    ['signed by a stranger with an Ed25519 key', async () => signToken(await issuerKey('ed', 'EdDSA'), good)],
    ['an unknown key id', () => token({ header: { kid: 'unknown' } })],
    ["a key id of another of the issuer's keys", () => token({ header: { kid: 'ec' } })],
    ['a key id that is no text', () => signedText({ alg: 'RS256', kid: 7 }, good)],
    ['an empty key id', () => token({ header: { kid: '' } })],
    ['a key id that is a path', () => token({ header: { kid: '../../../../dev/null' } })],
    ['a key id that is SQL', () => token({ header: { kid: "rsa' UNION SELECT 'secret" } })],
    ['a key id out of Object.prototype', () => token({ header: { kid: '__proto__' } })],
    [
      'its own key in jwk',
      async () => {
        const own = await issuerKey('rsa');
        return signToken(own, good, { header: { jwk: own.jwk } });
      },
    ],
    ['a key address in jku', () => token({ header: { jku: `${issuer.issuer}/keys` } })],
    ['a certificate address in x5u', () => token({ header: { x5u: `${issuer.issuer}/keys` } })],
    ['its own certificate in x5c', () => token({ header: { x5c: ['MIIB'] } })],
    // Header
    ['a critical extension', () => token({ header: { crit: ['urgent'], urgent: true } })],
    ['an unencoded payload (b64)', () => signedText({ ...goodHeader, b64: false, crit: ['b64'] }, good)],
    ['a compressed payload', () => signedText({ ...goodHeader, zip: 'DEF' }, good)],
    ['the type of a logout token', () => token({ header: { typ: 'logout+jwt' } })],
    ['the type of a DPoP proof', () => token({ header: { typ: 'dpop+jwt' } })],
    ['the type of a caller assertion', () => token({ header: { typ: 'caller+jwt' } })],
    ['a type that is no text', () => signedText({ ...goodHeader, typ: 1 }, good)],
    ['a header that is a list', () => signedText([goodHeader], good)],
    ['a header that is null', () => signedText('null', good)],
    ['a header that is no JSON', () => signedText('{"alg":"RS256"', good)],
    // Claims
    ['another issuer', () => token({ claims: { iss: 'https://evil.example' } })],
    ['our issuer with a slash more', () => token({ claims: { iss: `${issuer.issuer}/` } })],
    ['no issuer', () => token({ claims: { iss: undefined } })],
    ['a list of issuers', () => token({ claims: { iss: [issuer.issuer] } })],
    ['another audience', () => token({ claims: { aud: 'another-api' } })],
    ['an audience that begins like ours', () => token({ claims: { aud: 'platform-api-2' } })],
    ['no audience', () => token({ claims: { aud: undefined } })],
    ['an empty list of audiences', () => token({ claims: { aud: [] } })],
    ['expired half a minute ago', () => token({ claims: { exp: seconds() - 30 } })],
    ['issued later than now', () => token({ claims: { iat: seconds() + 31 } })],
    ['expired a year ago', () => token({ claims: { exp: seconds() - 31_536_000 } })],
    ['no expiry', () => token({ claims: { exp: undefined } })],
    ['an expiry that is text', () => token({ claims: { exp: String(seconds() + 300) } })],
    ['an expiry that is no point in time', () => token({ claims: { exp: 1e300 } })],
    ['a negative expiry', () => token({ claims: { exp: -1 } })],
    ['not valid for more than half a minute', () => token({ claims: { nbf: seconds() + 31 } })],
    ['a beginning that is text', () => token({ claims: { nbf: 'now' } })],
    ['no subject', () => token({ claims: { sub: undefined } })],
    ['an empty subject', () => token({ claims: { sub: '' } })],
    ['a subject that is no text', () => token({ claims: { sub: 42 } })],
    ['a subject of 256 characters', () => token({ claims: { sub: 'x'.repeat(256) } })],
    // Other tokens of the same issuer, for the same audience
    ['the type of an ID token', () => token({ claims: { typ: 'ID' } })],
    ['the type of a refresh token', () => token({ claims: { typ: 'Refresh' } })],
    ['the type of an offline token', () => token({ claims: { typ: 'Offline' } })],
    ['the type of a logout token in its claims', () => token({ claims: { typ: 'Logout' } })],
    ['the type of a link sent by e-mail', () => token({ claims: { typ: 'verify-email' } })],
    ['a type in its claims that is no text', () => token({ claims: { typ: ['Bearer'] } })],
    ['the type of an ID token in its header', () => token({ header: { typ: 'ID' } })],
    ['the type of an answer to introspection', () => token({ header: { typ: 'token-introspection+jwt' } })],
    ['the hash of an access token', () => token({ claims: { at_hash: 'x' } })],
    ['the hash of a code', () => token({ claims: { c_hash: 'x' } })],
    ['the hash of a state', () => token({ claims: { s_hash: 'x' } })],
    ['a nonce', () => token({ claims: { nonce: 'n-0S6_WzA2Mj' } })],
    ['an empty nonce', () => token({ claims: { nonce: '' } })],
    [
      'the events of a logout token',
      () => token({ claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, sid: 's' } }),
    ],
    ['another use than access', () => token({ claims: { token_use: 'id' } })],
    ['claims that are a list', () => signedText(goodHeader, [good])],
    ['claims that are text', () => signedText(goodHeader, '"text"')],
    ['claims that are no JSON', () => signedText(goodHeader, '{"iss":')],
    // Form
    ['nothing', () => ''],
    ['dots alone', () => '..'],
    ['no token at all', () => 'not a token'],
    ['two parts', async () => (await token()).split('.').slice(0, 2).join('.')],
    ['four parts', async () => `${await token()}.extra`],
    ['five parts, as an encrypted token has', async () => `${await token()}.a.b`],
    ['an empty signature', async () => `${(await token()).split('.').slice(0, 2).join('.')}.`],
    ['a shortened signature', async () => (await token()).slice(0, -8)],
    ['a lengthened signature', async () => `${await token()}AAAA`],
    ['one character of the header changed', async () => damage(await token(), 0)],
    ['one character of the claims changed', async () => damage(await token(), 1)],
    ['one character of the signature changed', async () => damage(await token(), 2)],
    [
      'the claims of one token under the signature of another',
      async () => {
        const [header, , signature] = (await token()).split('.');
        return [header, (await token({ claims: { sub: 'eve' } })).split('.')[1], signature].join('.');
      },
    ],
    ['the same signature in another spelling', async () => otherSpelling(await token())],
    ['padded base64', async () => `${await token()}==`],
    ['a line break in it', async () => (await token()).replace('.', '.\n')],
    ['a blank before it', async () => ` ${await token()}`],
    ['letters that only look like base64url', async () => (await token()).replace('.', '.\u0410')],
    [
      'standard base64 in place of base64url',
      () =>
        signedText({ ...goodHeader, x: '???>>>' }, good)
          .replaceAll('_', '/')
          .replaceAll('-', '+') + '+/',
    ],
    ['more than 8 KiB of good claims', () => token({ claims: { filler: 'x'.repeat(8 * 1024) } })],
    ['a megabyte of anything', () => 'a'.repeat(1024 * 1024)],
    ['a million dots', () => '.'.repeat(1_000_000)],
  ];

  it('in at least thirty ways, each with a name of its own', () => {
    expect(new Set(FORGERIES.map(([name]) => name)).size).toBe(FORGERIES.length);
    expect(FORGERIES.length).toBeGreaterThanOrEqual(30);
  });

  it.each(FORGERIES)('%s', async (_, forge) => {
    // Whether the issuer has a key is known once in a second.
    clock.advance(1_000);
    const forged = await forge();
    const refused = await verifier.verify(forged).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(DomainError);
    expect(refused).toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_token',
      message: 'Invalid or expired token',
    });
    // The reason is for the log, and must not repeat the token there.
    const reason = ((refused as DomainError).cause as Error).message;
    expect(reason).not.toBe('');
    if (forged.length > 20) expect(reason).not.toContain(forged);
  });

  it('none of them stopped good tokens from being accepted', async () => {
    expect(await verifier.verify(await token())).toMatchObject({ subject: 'ada' });
  });

  function hmacToken(secret: string): string {
    const input = `${encode({ alg: 'HS256', kid: 'rsa' })}.${encode(good)}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  }
  function signedAs(alg: string, digest: string): string {
    const input = `${encode({ alg, kid: 'rsa' })}.${encode(good)}`;
    return `${input}.${createSign(digest).update(input).sign(KeyObject.from(rsa.privateKey)).toString('base64url')}`;
  }
  function pssToken(): string {
    const input = `${encode({ alg: 'PS256', kid: 'rsa' })}.${encode(good)}`;
    const key = { key: KeyObject.from(rsa.privateKey), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    return `${input}.${rawSign('sha256', Buffer.from(input), key).toString('base64url')}`;
  }
  /** 256 bytes leave unused bits in the last base64url character: the same bytes can be written in several ways. */
  function otherSpelling(text: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return text.slice(0, -1) + (alphabet[alphabet.indexOf(text.slice(-1)) + 1] ?? 'A');
  }
});

describe('a key that the issuer publishes is passed over when', () => {
  const verifierOf = async (jwks: object[]) => {
    const local = await localIssuer(jwks);
    return {
      local,
      verify: tokenVerifier({
        issuer: good['iss'] as string,
        audience: 'platform-api',
        jwksUrl: `${local.issuer}/keys`,
        clock,
      }),
    };
  };

  it.each<[string, () => object]>([
    ['it is for encryption', () => ({ ...rsa.jwk, use: 'enc' })],
    ['it is for another algorithm', () => ({ ...rsa.jwk, alg: 'RS512' })],
    ['it is not for verifying', () => ({ ...rsa.jwk, use: undefined, key_ops: ['encrypt'] })],
    ['it is symmetric', () => ({ kty: 'oct', k: encode('secret'), kid: 'rsa', alg: 'HS256' })],
    ['it is damaged', () => ({ ...rsa.jwk, n: '!!!' })],
    ['it has no modulus', () => ({ kty: 'RSA', kid: 'rsa' })],
    ['it is not an object', () => [1]],
  ])('%s, and the keys beside it still work', async (_, bad) => {
    const { local, verify } = await verifierOf([bad(), ed.jwk]);
    try {
      await expect(verify.verify(await token())).rejects.toMatchObject({ kind: 'unauthenticated' });
      expect(await verify.verify(await token({}, ed))).toMatchObject({ subject: 'ada' });
    } finally {
      await local.goDown();
    }
  });

  it('it is an RSA key of less than 2048 bits', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const { local, verify } = await verifierOf([
      { ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' },
    ]);
    const input = `${encode({ alg: 'RS256', kid: 'weak' })}.${encode(good)}`;
    const forged = `${input}.${createSign('RSA-SHA256').update(input).sign(weak.privateKey).toString('base64url')}`;
    try {
      await expect(verify.verify(forged)).rejects.toMatchObject({ kind: 'unauthenticated' });
    } finally {
      await local.goDown();
    }
  });

  it('the token names none and the issuer has several; a single one is meant', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const unnamed = await new SignJWT(good).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
    const stranger = await new SignJWT(good).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    const one = await verifierOf([rsa.jwk, ed.jwk]);
    const two = await verifierOf([rsa.jwk, (await issuerKey('rsa-2')).jwk]);
    try {
      expect(await one.verify.verify(unnamed)).toMatchObject({ subject: 'ada' });
      await expect(one.verify.verify(stranger)).rejects.toMatchObject({ kind: 'unauthenticated' });
      await expect(two.verify.verify(unnamed)).rejects.toMatchObject({ kind: 'unauthenticated' });
    } finally {
      await one.local.goDown();
      await two.local.goDown();
    }
  });
});
