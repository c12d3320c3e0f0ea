import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenVerifier, type TokenVerifierOptions } from '@platform-backend/auth';
import { fixedClock, type FixedClock } from '@platform-backend/core';
import { issuerKey, localIssuer, signToken, type IssuerKey, type LocalIssuer } from './local-issuer.ts';

const MINUTE = 60_000;
let oldKey: IssuerKey;
let newKey: IssuerKey;
let issuer: LocalIssuer;
let clock: FixedClock;

beforeAll(async () => {
  [oldKey, newKey] = await Promise.all([issuerKey('old', 'ES256'), issuerKey('new', 'ES256')]);
});
beforeEach(async () => {
  clock = fixedClock();
  issuer = await localIssuer([oldKey.jwk]);
});
afterEach(() => issuer.goDown());

const verifierOf = (options: Partial<TokenVerifierOptions> = {}) =>
  tokenVerifier({ issuer: issuer.issuer, audience: 'api', jwksUrl: `${issuer.issuer}/keys`, clock, ...options });
/** A token of a day, so that only keys and caches decide. Each has a `jti` of its own: no cache knows it. */
let made = 0;
const token = (key: IssuerKey, header: Record<string, unknown> = {}) =>
  signToken(
    key,
    { iss: issuer.issuer, aud: 'api', sub: 'ada', exp: clock.now().getTime() / 1000 + 86_400, jti: String(made++) },
    { header },
  );
/** Until what was begun in the background has come to its end. */
const settled = async (isSettled: () => boolean): Promise<void> => {
  while (!isSettled()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const unauthenticated = { kind: 'unauthenticated', code: 'invalid_token' };
const unavailable = { kind: 'unavailable' };

describe('the keys of the issuer', () => {
  it('are fetched on first use, once for all who wait for them', async () => {
    const verifier = verifierOf();
    expect(issuer.state.asked).toEqual([]);
    const tokens = await Promise.all([token(oldKey), token(oldKey), token(oldKey)]);
    await Promise.all(tokens.map((each) => verifier.verify(each)));
    expect(issuer.state.asked).toEqual(['/keys']);
  });

  it('are fetched again at once when a token names a new one', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    issuer.state.published = [oldKey.jwk, newKey.jwk];
    clock.advance(MINUTE);
    expect(await verifier.verify(await token(newKey))).toMatchObject({ subject: 'ada' });
    expect(await verifier.verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
    expect(issuer.state.asked).toHaveLength(2);
  });

  it('are looked for at once when a good token follows one with an invented key id', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    clock.advance(MINUTE / 10);
    await expect(verifier.verify(await token(oldKey, { kid: 'invented' }))).rejects.toMatchObject(unauthenticated);
    issuer.state.published = [oldKey.jwk, newKey.jwk];
    const rotated = await token(newKey);
    // Nobody can say yet, so nobody is logged out.
    await expect(verifier.verify(rotated)).rejects.toMatchObject({ ...unavailable, retryAfterSeconds: 1 });
    clock.advance(1_000);
    expect(await verifier.verify(rotated)).toMatchObject({ subject: 'ada' });
    expect(issuer.state.asked).toHaveLength(3);
  });

  it('are fetched once a second at most, however many key ids are invented', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    for (let second = 0; second < 5; second++) {
      clock.advance(1_000);
      for (let index = 0; index < 10; index++)
        await verifier.verify(await token(oldKey, { kid: `invented-${second}-${index}` })).catch(() => undefined);
    }
    expect(issuer.state.asked).toHaveLength(6);
  });

  it('that the issuer did not have are not asked for again for five seconds', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    const withdrawn = await token(newKey);
    for (let second = 0; second < 5; second++) {
      clock.advance(1_000);
      await expect(verifier.verify(withdrawn)).rejects.toMatchObject(unauthenticated);
    }
    expect(issuer.state.asked).toHaveLength(2);
    issuer.state.published = [oldKey.jwk, newKey.jwk];
    clock.advance(1_000);
    expect(await verifier.verify(withdrawn)).toMatchObject({ subject: 'ada' });
  });

  it('are fetched in the background when they grow old, and nobody waits', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    clock.advance(MINUTE / 3);
    const gate = Promise.withResolvers<undefined>();
    issuer.state.gate = gate.promise;
    expect(await verifier.verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
    gate.resolve(undefined);
    await settled(() => issuer.state.asked.length === 2);
  });

  it('stop working when the issuer withdraws them, also in tokens that were verified before', async () => {
    const verifier = verifierOf({ cacheMs: 60 * MINUTE });
    const seen = await token(oldKey);
    await verifier.verify(seen);
    issuer.state.published = [newKey.jwk];
    clock.advance(MINUTE);
    await verifier.verify(await token(newKey));
    await expect(verifier.verify(seen)).rejects.toMatchObject(unauthenticated);
  });

  it('stop working within a minute when the issuer withdraws them, also after a time in which nobody came', async () => {
    const verifier = verifierOf();
    const seen = await token(oldKey);
    await verifier.verify(seen);
    issuer.state.published = [newKey.jwk];
    clock.advance(MINUTE);
    await expect(verifier.verify(seen)).rejects.toMatchObject(unauthenticated);
  });

  it('work under one id as old and new while an issuer reuses it', async () => {
    issuer.state.published = [
      { ...newKey.jwk, kid: 'same' },
      { ...oldKey.jwk, kid: 'same' },
    ];
    const verifier = verifierOf();
    expect(await verifier.verify(await token(oldKey, { kid: 'same' }))).toMatchObject({ subject: 'ada' });
    expect(await verifier.verify(await token(newKey, { kid: 'same' }))).toMatchObject({ subject: 'ada' });
  });
});

describe('while the issuer is down', () => {
  it('known keys keep working, for as long as it takes', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    await issuer.goDown();
    for (let hour = 0; hour < 5; hour++) {
      clock.advance(60 * MINUTE);
      expect(await verifier.verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
    }
    await issuer.comeBack();
  });

  it('a token with an unknown key id is neither accepted nor called invalid', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    await issuer.goDown();
    clock.advance(MINUTE);
    await expect(verifier.verify(await token(newKey))).rejects.toMatchObject(unavailable);
    expect(await verifier.verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
    await issuer.comeBack();
  });

  it('a forged token is still called invalid', async () => {
    const verifier = verifierOf();
    await verifier.verify(await token(oldKey));
    await issuer.goDown();
    clock.advance(MINUTE);
    await expect(verifier.verify(await token(newKey, { kid: 'old' }))).rejects.toMatchObject(unauthenticated);
    await issuer.comeBack();
  });

  it('and no key was ever seen, every token is unavailable, and the issuer is not hammered', async () => {
    issuer.state.broken = { status: 500, body: 'oops' };
    const verifier = verifierOf();
    for (let index = 0; index < 20; index++) {
      await expect(verifier.verify(await token(oldKey))).rejects.toMatchObject({
        ...unavailable,
        retryAfterSeconds: 1,
      });
    }
    expect(issuer.state.asked).toHaveLength(1);
    // Pauses of 1, 2, 4, 8, 16, 30, 30, ... seconds: 300 s hold 14 attempts more.
    for (let second = 0; second < 300; second++) {
      clock.advance(1_000);
      await verifier.verify(await token(oldKey)).catch(() => undefined);
    }
    expect(issuer.state.asked.length).toBeLessThanOrEqual(15);
    expect(issuer.state.asked.length).toBeGreaterThanOrEqual(12);
    issuer.state.broken = undefined;
    clock.advance(30_000);
    expect(await verifier.verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
  });

  it.each<[string, Partial<LocalIssuer['state']>]>([
    ['an error', { broken: { status: 503, body: '{"keys":[]}' } }],
    ['no JSON', { broken: { status: 200, body: '<html>' } }],
    ['a list', { broken: { status: 200, body: '[]' } }],
    ['no keys', { broken: { status: 200, body: '{"error":"x"}' } }],
    ['a redirect', { broken: { status: 302, body: '', location: '/elsewhere' } }],
    ['too much', { broken: { status: 200, body: `{"keys":[],"x":"${'x'.repeat(300 * 1024)}"}` } }],
  ])('counts as down when it answers with %s', async (_, state) => {
    Object.assign(issuer.state, state);
    await expect(verifierOf().verify(await token(oldKey))).rejects.toMatchObject(unavailable);
  });

  it('counts as down when it does not answer in time', async () => {
    const gate = Promise.withResolvers<undefined>();
    issuer.state.gate = gate.promise;
    await expect(verifierOf({ fetchTimeoutMs: 50 }).verify(await token(oldKey))).rejects.toMatchObject(unavailable);
    gate.resolve(undefined);
  });
});

describe('discovery of the keys of an issuer', () => {
  const discovering = () => verifierOf({ jwksUrl: undefined });

  it('finds the keys when their address is not configured', async () => {
    expect(await discovering().verify(await token(oldKey))).toMatchObject({ subject: 'ada' });
    expect(issuer.state.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['speaks for another issuer', { issuer: 'https://evil.example' }],
    ['names no keys', { jwks_uri: undefined }],
    ['names keys that are no address', { jwks_uri: 'keys' }],
    ['names keys in a file', { jwks_uri: 'file:///etc/passwd' }],
  ])('is not believed when the document %s', async (_, document) => {
    issuer.state.discovery = document;
    await expect(discovering().verify(await token(oldKey))).rejects.toMatchObject(unavailable);
    expect(issuer.state.asked).toEqual(['/.well-known/openid-configuration']);
  });
});

describe('a verified token', () => {
  it('is looked up the next time', async () => {
    const verifier = verifierOf();
    const text = await token(oldKey);
    expect(await verifier.verify(text)).toBe(await verifier.verify(text));
  });

  it('is looked at again after a minute', async () => {
    const verifier = verifierOf();
    const text = await token(oldKey);
    const first = await verifier.verify(text);
    clock.advance(MINUTE);
    const second = await verifier.verify(text);
    expect(second).not.toBe(first);
    expect(second).toEqual(first);
  });

  it('is refused once it has expired, though it was verified before', async () => {
    const verifier = verifierOf({ cacheMs: 60 * MINUTE });
    const exp = clock.now().getTime() / 1000 + 30;
    const text = await signToken(oldKey, { iss: issuer.issuer, aud: 'api', sub: 'ada', exp });
    await verifier.verify(text);
    clock.advance(59_000);
    await verifier.verify(text);
    clock.advance(1_000);
    await expect(verifier.verify(text)).rejects.toMatchObject(unauthenticated);
  });
});
