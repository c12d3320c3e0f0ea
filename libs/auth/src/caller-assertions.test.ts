import { beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, type FixedClock } from '@platform-backend/core';
import fc from 'fast-check';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import { assertionVerifier, type AssertionVerifierOptions } from './assertion-verifier.ts';
import { callerAssertions } from './caller-assertions.ts';
import type { Caller } from './caller.ts';
import { generateServiceKeys } from './service-keys.ts';
import { readTokenClaims } from './token-claims.ts';

const ada: Caller = {
  kind: 'user',
  service: 'gateway',
  organisationId: 'org_1',
  userId: 'user_1',
  userName: 'Ada',
  userEmail: 'ada@example.com',
  emailVerified: true,
  level: 'ADMIN',
  scopes: [],
};
const key: Caller = {
  kind: 'api_key',
  service: 'gateway',
  organisationId: 'org_1',
  apiKeyId: 'key_1',
  clientGroupId: 'group_1',
  userId: 'user_1',
  level: 'EDITOR',
  scopes: ['things:read', '*:write'],
};

let keys: Awaited<ReturnType<typeof generateServiceKeys<'gateway' | 'billing'>>>;
let strangers: typeof keys;
beforeAll(async () => {
  keys = await generateServiceKeys(['gateway', 'billing']);
  strangers = await generateServiceKeys(['gateway', 'billing']);
});

/** Time passes as the clock says, unless it is said how much has passed. */
const issuer = (
  clock: FixedClock,
  service: 'gateway' | 'billing' = 'gateway',
  elapsedMs = () => clock.now().getTime(),
) => callerAssertions({ service, privateKey: keys.privateKeys[service], clock, elapsedMs });
const verifier = (clock: FixedClock, more: Partial<AssertionVerifierOptions> = {}) =>
  assertionVerifier({ keys: keys.publicKeys, clock, elapsedMs: () => clock.now().getTime(), ...more });
const seconds = (clock: FixedClock): number => Math.floor(clock.now().getTime() / 1000);

describe('a caller assertion', () => {
  it.each<[string, Caller]>([
    ['a user', ada],
    ['an API key', key],
    [
      'a user who has to name an organisation',
      { kind: 'user', service: 'gateway', userId: 'user_1', organisationRequired: true, scopes: [] },
    ],
    [
      'a user who is suspended',
      { kind: 'user', service: 'gateway', userId: 'user_1', membershipSuspended: true, scopes: [] },
    ],
    ['a service', { kind: 'service', service: 'gateway', scopes: [] }],
    ['nobody', { kind: 'anonymous', service: 'gateway', scopes: [] }],
  ])('says of %s exactly what was put in', async (_, caller) => {
    const clock = fixedClock();
    expect(await verifier(clock).verify(await issuer(clock).issue(caller))).toEqual(caller);
  });

  it('names the service that signed it, whoever it was handed on from', async () => {
    const clock = fixedClock();
    const assertion = await issuer(clock, 'billing').issue(ada);
    expect(await verifier(clock).verify(assertion)).toEqual({ ...ada, service: 'billing' });
  });

  it('lives for one minute', async () => {
    const clock = fixedClock();
    const { iat, exp } = decodeJwt(await issuer(clock).issue(ada));
    expect((exp ?? 0) - (iat ?? 0)).toBe(60);
  });

  it('is made once for the same caller, and anew before it expires', async () => {
    const clock = fixedClock();
    const assertions = issuer(clock);
    const first = await assertions.issue(ada);
    expect(assertions.issue({ ...ada })).toBe(first);
    clock.advance(44_000);
    expect(assertions.issue(ada)).toBe(first);
    clock.advance(2_000);
    const second = await assertions.issue(ada);
    expect(second).not.toBe(first);
    expect(await verifier(clock).verify(first)).toEqual(ada);
  });

  it('is shared by callers who ask while it is being made', async () => {
    const assertions = issuer(fixedClock());
    const [first, second] = await Promise.all([assertions.issue(ada), assertions.issue({ ...ada })]);
    expect(first).toBe(second);
  });

  it.each<[string, Partial<Caller>]>([
    ['organisation', { organisationId: 'org_2' }],
    ['user', { userId: 'user_2' }],
    ['level', { level: 'VIEWER' }],
    ['scopes', { scopes: ['*:read'] }],
    ['kind', { kind: 'service' }],
    ['client group', { clientGroupId: 'group_2' }],
    ['need to name an organisation', { organisationRequired: true }],
    ['suspension', { membershipSuspended: true }],
    ['e-mail', { userEmail: 'other@example.com' }],
    ['verification of the e-mail', { emailVerified: false }],
  ])('differs when the %s differs', async (_, change) => {
    const assertions = issuer(fixedClock());
    expect(await assertions.issue({ ...ada, ...change })).not.toBe(await assertions.issue(ada));
  });

  it('is verified once, and refused after its end even though it was verified before', async () => {
    const clock = fixedClock();
    const assertion = await issuer(clock).issue(ada);
    const verify = verifier(clock);
    const first = await verify.verify(assertion);
    expect(await verify.verify(assertion)).toBe(first);
    clock.advance(121_000);
    await expect(verify.verify(assertion)).rejects.toMatchObject({ code: 'clocks_differ' });
  });

  it('is accepted under either key while a service changes its key', async () => {
    const clock = fixedClock();
    const both = { keys: [...strangers.publicKeys.keys, ...keys.publicKeys.keys] };
    const assertion = await issuer(clock).issue(ada);
    expect(await assertionVerifier({ keys: both, clock }).verify(assertion)).toEqual(ada);
  });

  it('gives a caller that nobody can change afterwards', async () => {
    const clock = fixedClock();
    const caller = await verifier(clock).verify(await issuer(clock).issue(key));
    expect(Object.isFrozen(caller) && Object.isFrozen(caller.scopes)).toBe(true);
  });
});

/** Characters that take the most room in JSON and UTF-8, or that cannot be stored. */
const awkward = fc.constantFrom('\u{10ffff}', '"', '\\', '\u007f', '\0', '\u2028', '\ud800', 'x', ' ');
const awkwardText = (length: number) =>
  fc.array(awkward, { minLength: length, maxLength: length }).map((all) => all.join(''));
const ULID = 'org_01KAP5GQ6N0000000000000000';
const UUID = '019ab0e2-5d2c-7c3e-9d54-3f0f3c7f8a11';

/** A caller whose every text is as long as the contract and a verified token let it be. */
function maxCaller(name: string, email: string, area: string): Caller {
  const token = readTokenClaims({ sub: 'ada', exp: 1, name, email });
  return {
    kind: 'api_key',
    service: 'gateway',
    organisationId: ULID,
    userId: UUID,
    ...(token.name !== undefined && { userName: token.name }),
    ...(token.email !== undefined && { userEmail: token.email }),
    emailVerified: false,
    apiKeyId: UUID,
    clientGroupId: UUID,
    organisationRequired: true,
    membershipSuspended: true,
    level: 'EDITOR',
    scopes: Array.from({ length: 64 }, () => `${area}:admin`),
  };
}

describe('the assertion of the largest caller there may be', () => {
  /** Beside it a call has a few hundred bytes of headers; gRPC servers take at least 8 KiB of them. */
  const maxBytes = 8_000;

  it('is believed, and small enough for the headers of a call', async () => {
    const clock = fixedClock();
    const largest = maxCaller('\u{10ffff}'.repeat(5_000), `${'\u{1f680}'.repeat(318)}@b`, 'x'.repeat(40));
    const assertion = await issuer(clock).issue(largest);
    expect(await verifier(clock).verify(assertion)).toEqual(largest);
    expect(assertion.length).toBeGreaterThan(maxBytes * 0.9);
    expect(assertion.length).toBeLessThan(maxBytes);
  });

  it('is so whatever the name, also one that was stored before names were bounded', async () => {
    const clock = fixedClock();
    const [assertions, verify] = [issuer(clock), verifier(clock)];
    const anyEmail = fc.constantFrom('\u{1f680}', 'x', '"', '\\').map((part) => `${part.repeat(318)}@b`);
    await fc.assert(
      fc.asyncProperty(awkwardText(2_000), anyEmail, async (name, email) => {
        const caller = maxCaller(name, email, 'x'.repeat(40));
        const assertion = await assertions.issue({ ...caller, userName: name });
        expect(await verify.verify(assertion)).toEqual(caller);
        expect(assertion.length).toBeLessThan(maxBytes);
      }),
      { numRuns: 30 },
    );
  });
});

describe('an assertion is refused when', () => {
  type Change = {
    header?: Record<string, unknown>;
    claims?: Record<string, unknown>;
    signedBy?: 'billing' | 'stranger';
  };
  const clock = fixedClock();
  const now = seconds(clock);
  const good = { kind: 'user', uid: 'user_1', org: 'org_1', iss: 'gateway', aud: 'platform', iat: now, exp: now + 60 };

  async function assertionWith({ header = {}, claims = {}, signedBy }: Change): Promise<string> {
    const jwk =
      signedBy === 'stranger'
        ? strangers.privateKeys.gateway
        : keys.privateKeys[signedBy === 'billing' ? 'billing' : 'gateway'];
    return new SignJWT({ ...good, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'caller+jwt', kid: 'gateway', ...header })
      .sign(await importJWK(jwk, 'EdDSA'), { crit: { b64: true } });
  }

  it('nothing is wrong with it: then it is accepted', async () => {
    expect(await verifier(clock).verify(await assertionWith({}))).toMatchObject({ kind: 'user', userId: 'user_1' });
  });

  it.each<[string, Change]>([
    ['a stranger signed it', { signedBy: 'stranger' }],
    ['another service signed it in our name', { signedBy: 'billing' }],
    ['its key id is of another service than its signature', { header: { kid: 'billing' } }],
    ['it names another service than its key', { claims: { iss: 'billing' } }],
    ['another service speaks as the gateway', { signedBy: 'billing', header: { kid: 'billing' } }],
    ['no such service exists', { header: { kid: 'intruder' }, claims: { iss: 'intruder' } }],
    ['it has no key id', { header: { kid: undefined } }],
    ['it has no issuer', { claims: { iss: undefined } }],
    ['it is for somebody else', { claims: { aud: 'elsewhere' } }],
    ['it is for nobody', { claims: { aud: undefined } }],
    ['it is of another type', { header: { typ: 'at+jwt' } }],
    ['it is of no type', { header: { typ: undefined } }],
    ['it never expires', { claims: { exp: undefined } }],
    ['it has no beginning', { claims: { iat: undefined } }],
    ['it lives too long', { claims: { exp: now + 3600 } }],
    ['it is not valid yet', { claims: { nbf: now + 120 } }],
    ['it names no kind of caller', { claims: { kind: undefined } }],
    ['it names an unknown kind', { claims: { kind: 'root' } }],
    ['it names an unknown level', { claims: { lvl: 'GOD' } }],
    ['its level is not text', { claims: { lvl: 4 } }],
    ['its organisation is not text', { claims: { org: ['org_1'] } }],
    ['its client group is not text', { claims: { grp: 1 } }],
    ['the need to name an organisation is not simply said', { claims: { orq: 'yes' } }],
    ['its scopes are not a list', { claims: { scp: '*:admin' } }],
    ['its scopes are not text', { claims: { scp: [1] } }],
    ['its e-mail verification is not a boolean', { claims: { emv: 'yes' } }],
    ['a user has no id', { claims: { uid: undefined } }],
    ['a key has no id', { claims: { kind: 'api_key' } }],
    ['a key has no organisation', { claims: { kind: 'api_key', key: 'key_1', org: undefined } }],
  ])('%s', async (_, change) => {
    await expect(verifier(clock).verify(await assertionWith(change))).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_caller_assertion',
      message: 'Not authenticated',
    });
  });

  it('its text was damaged anywhere, or it is no token at all', async () => {
    const assertion = await issuer(clock).issue(ada);
    const [header = '', payload = '', signature = ''] = assertion.split('.');
    const none = Buffer.from('{"alg":"none","kid":"gateway","typ":"caller+jwt"}').toString('base64url');
    const damaged = [
      '',
      'x',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload.slice(0, -4)}AAAA.${signature}`,
      `${assertion}.${signature}`,
      'a'.repeat(10_000),
    ];
    for (const text of damaged) {
      await expect(verifier(clock).verify(text)).rejects.toMatchObject({ code: 'invalid_caller_assertion' });
    }
  });
});

describe('clocks that differ', () => {
  /** What a service says whose clock is ahead of the signer's by so many seconds. */
  const heard = async (aheadSeconds: number) => {
    const [signer, hearer] = [fixedClock(), fixedClock()];
    const seen: [string, number][] = [];
    const verify = verifier(hearer, { onSkew: (service, seconds) => seen.push([service, seconds]) });
    hearer.advance(aheadSeconds * 1000);
    return { answer: verify.verify(await issuer(signer).issue(ada)), seen };
  };

  it.each([-60, -7, 7, 60])('by %i s change nothing', async (seconds) => {
    expect(await (await heard(seconds)).answer).toEqual(ada);
  });

  it.each([-62, 122, 86_400, -86_400])('by %i s are unavailable, by their name', async (seconds) => {
    const refusal: unknown = await (await heard(seconds)).answer.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ kind: 'unavailable', code: 'clocks_differ', retryAfterSeconds: 10 });
    expect((refusal as Error).message).toContain(`gateway`);
  });

  it('are told of with the name of the service and by how much its clock is ahead', async () => {
    for (const seconds of [-62, -7, 0, 7, 86_400]) {
      const { answer, seen } = await heard(seconds);
      await answer.catch(() => undefined);
      expect(seen).toEqual([['gateway', -seconds || 0]]);
    }
  });

  it('tell nobody who holds no key whether clocks differ', async () => {
    const clock = fixedClock();
    const stranger = callerAssertions({ service: 'gateway', privateKey: strangers.privateKeys.gateway, clock });
    const forged = await stranger.issue(ada);
    const later = fixedClock(new Date(clock.now().getTime() + 3_600_000));
    await expect(verifier(later).verify(forged)).rejects.toMatchObject({ code: 'invalid_caller_assertion' });
  });

  it('that are put right have assertions made anew at once', async () => {
    const clock = fixedClock();
    let elapsedMs = 0;
    const assertions = issuer(clock, 'gateway', () => elapsedMs);
    const before = await assertions.issue(ada);
    clock.advance(-3_600_000);
    elapsedMs += 10;
    const after = await assertions.issue(ada);
    expect(decodeJwt(after).iat).toBe((decodeJwt(before).iat ?? 0) - 3_600);
  });

  it('that stand still have assertions made anew all the same', async () => {
    const clock = fixedClock();
    let elapsedMs = 0;
    const assertions = issuer(clock, 'gateway', () => elapsedMs);
    const before = await assertions.issue(ada);
    elapsedMs += 46_000;
    clock.advance(1_000);
    expect(await assertions.issue(ada)).not.toBe(before);
  });
});

describe('service keys', () => {
  it('keep every private part out of the public set', () => {
    for (const publicKey of keys.publicKeys.keys) expect(publicKey).not.toHaveProperty('d');
    expect(keys.publicKeys.keys.map(({ kid }) => kid)).toEqual(['gateway', 'billing']);
  });

  it('name the service in every assertion', async () => {
    expect(decodeProtectedHeader(await issuer(fixedClock()).issue(ada)).kid).toBe('gateway');
  });
});
