import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { startTestIdentityProvider, type TestIdentityProvider } from '../src/index.ts';

describe('the test identity provider', () => {
  let provider: TestIdentityProvider;

  beforeAll(async () => {
    provider = await startTestIdentityProvider({ audience: 'shop' });
  });

  afterAll(() => provider.stop());

  const verify = (token: string) =>
    jwtVerify(token, createRemoteJWKSet(new URL(provider.jwksUrl)), { issuer: provider.issuer, audience: 'shop' });

  it('is found by discovery', async () => {
    const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
    await expect(response.json()).resolves.toMatchObject({ issuer: provider.issuer, jwks_uri: provider.jwksUrl });
  });

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('signs good tokens with %s', async (algorithm) => {
    const key = await provider.newKey(algorithm);
    provider.publish(key);
    const { payload, protectedHeader } = await verify(await provider.token());
    expect(protectedHeader).toMatchObject({ alg: algorithm, kid: key.kid });
    expect(payload).toMatchObject({ sub: 'user-ada', email: 'ada@example.com', email_verified: true });
  });

  it('puts anything into a token, and leaves anything out', async () => {
    const token = await provider.token({
      claims: { sub: 'grace', email: undefined, exp: 12 },
      header: { kid: undefined, jku: 'http://evil.example/jwks' },
    });
    expect(decodeJwt(token)).toMatchObject({ sub: 'grace', exp: 12 });
    expect(decodeJwt(token)).not.toHaveProperty('email');
    expect(decodeProtectedHeader(token)).toMatchObject({ jku: 'http://evil.example/jwks' });
    expect(decodeProtectedHeader(token)).not.toHaveProperty('kid');
  });

  it('withdraws earlier keys when it rotates', async () => {
    const before = await provider.token();
    await provider.rotate();
    await expect(verify(before)).rejects.toThrow('no applicable key found');
    await expect(verify(await provider.token())).resolves.toBeDefined();
  });

  it('counts how often its keys are fetched', async () => {
    const before = provider.jwksRequests;
    await verify(await provider.token());
    expect(provider.jwksRequests).toBe(before + 1);
  });

  it('goes down and comes back on the same address', async () => {
    const { issuer } = provider;
    await provider.stop();
    await expect(fetch(provider.jwksUrl)).rejects.toThrow();
    await provider.start();
    expect(provider.issuer).toBe(issuer);
    provider.failWith(503);
    await expect(fetch(provider.jwksUrl)).resolves.toMatchObject({ status: 503 });
    provider.failWith(undefined);
    await expect(fetch(provider.jwksUrl)).resolves.toMatchObject({ status: 200 });
  });
});
