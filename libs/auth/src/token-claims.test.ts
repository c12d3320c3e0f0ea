import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTokenClaims } from './token-claims.ts';

const exp = Date.parse('2026-03-01T12:05:00Z') / 1000;
const claimsOf = (claims: Record<string, unknown>) => readTokenClaims({ sub: 'ada', exp, ...claims });
const ROCKET = '\u{1f680}';

describe('the claims of a token', () => {
  it('say who bears it, until when, and for which organisation', () => {
    const claims = {
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      org_id: 'org_1',
    };
    expect(claimsOf(claims)).toEqual({
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada Lovelace',
      organisationId: 'org_1',
      expiresAt: new Date('2026-03-01T12:05:00Z'),
    });
  });

  it('are absent when they are empty or of another type', () => {
    const nothing = { subject: 'ada', expiresAt: new Date(exp * 1000) };
    expect(claimsOf({ email: '', name: '', org_id: '' })).toEqual(nothing);
    expect(claimsOf({ email: 1, name: {}, org_id: [], email_verified: 'true' })).toEqual(nothing);
  });

  it.each(['a@b', 'ada+x@example.com', '"ada @home"@example.com', 'ädä@exämple.com', `${'x'.repeat(315)}@b.de`])(
    'may have the e-mail address %j',
    (email) => {
      expect(claimsOf({ email }).email).toBe(email);
    },
  );

  it.each([
    'ada',
    '@',
    'ada@',
    '@example.com',
    'ada@example@',
    'ada@example.com@evil.example',
    '@@example.com',
    'ada lovelace@example.com',
    ' ada@example.com',
    'ada@example.com\n',
    'ada\0@example.com',
    'ad\u200ba@example.com',
    'ada\ud800@example.com',
    `${'x'.repeat(316)}@b.de`,
  ])('are refused with the e-mail address %j', (email) => {
    expect(() => claimsOf({ email })).toThrow('The e-mail address is none.');
  });

  it.each(['x'.repeat(255), ROCKET.repeat(255), 'auth0|ada lovelace', 'CN=Ada, OU=Engines'])(
    'may have the subject or organisation %j',
    (text) => {
      expect(claimsOf({ sub: text, org_id: text })).toMatchObject({ subject: text, organisationId: text });
    },
  );

  it.each(['x'.repeat(256), 'a\0', 'a\nb', '\u007f', '\u0085', 'a\ud800', '\udc00a'])(
    'are refused with the subject or organisation %j',
    (text) => {
      expect(() => claimsOf({ sub: text })).toThrow('The subject is not usable.');
      expect(() => claimsOf({ org_id: text })).toThrow('The organisation is not usable.');
    },
  );

  it.each([
    ['  Ada \t Lovelace\r\n', 'Ada Lovelace'],
    ['Ada\0Lovelace', 'Ada Lovelace'],
    ['Ada\ud800', 'Ada\ufffd'],
    ['\0\n ', undefined],
    ['x'.repeat(201), 'x'.repeat(200)],
    [ROCKET.repeat(201), ROCKET.repeat(200)],
    [`${'x'.repeat(199)} y`, 'x'.repeat(199)],
  ])('make of the name %j the name %j', (name, shown) => {
    expect(claimsOf({ name }).name).toBe(shown);
  });

  it('give a name that can be stored and stays as it is, whatever the issuer says', () => {
    const anything = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      maxLength: 600,
    });
    fc.assert(
      fc.property(anything, (text) => {
        const { name = '' } = claimsOf({ name: text });
        expect(name.isWellFormed()).toBe(true);
        expect(name).not.toMatch(/\p{Cc}/u);
        expect(Array.from(name).length).toBeLessThanOrEqual(200);
        expect(claimsOf({ name }).name ?? '').toBe(name);
      }),
    );
  });
});
