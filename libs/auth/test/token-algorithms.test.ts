import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TOKEN_ALGORITHMS, tokenVerifier, type TokenAlgorithm, type TokenVerifier } from '@platform-backend/auth';
import type { JWK } from 'jose';
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { issuerKey, localIssuer, signToken, type IssuerKey, type LocalIssuer } from './local-issuer.ts';

const keys = new Map<string, IssuerKey>();
beforeAll(async () => {
  for (const alg of TOKEN_ALGORITHMS) keys.set(alg, await issuerKey(alg, alg));
});

let issuer: LocalIssuer;
afterEach(() => issuer.goDown());

/** A verifier of tokens of an issuer that publishes these keys. */
async function verifierOf(published: readonly JWK[], algorithms?: readonly TokenAlgorithm[]): Promise<TokenVerifier> {
  issuer = await localIssuer(published);
  return tokenVerifier({ issuer: issuer.issuer, audience: 'api', jwksUrl: `${issuer.issuer}/keys`, algorithms });
}

const keyOf = (alg: string): IssuerKey => keys.get(alg) as IssuerKey;
const claims = () => ({ iss: issuer.issuer, aud: 'api', sub: 'ada', exp: Date.now() / 1000 + 300 });
const tokenOf = (key: IssuerKey) => signToken(key, claims());
const withoutAlgorithm = ({ alg: _, ...jwk }: JWK): JWK => jwk;
const everyKey = () => [...keys.values()].map(({ jwk }) => jwk);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const accepted = { subject: 'ada' };
const refused = { kind: 'unauthenticated', code: 'invalid_token', message: 'Invalid or expired token' };

describe('the algorithms accepted by default', () => {
  it.each(TOKEN_ALGORITHMS)('%s is accepted by a key published for it', async (alg) => {
    const verifier = await verifierOf(everyKey());
    expect(await verifier.verify(await tokenOf(keyOf(alg)))).toMatchObject(accepted);
  });

  it.each(TOKEN_ALGORITHMS)('%s is accepted by a fitting key that does not name its algorithm', async (alg) => {
    const verifier = await verifierOf(everyKey().map(withoutAlgorithm));
    expect(await verifier.verify(await tokenOf(keyOf(alg)))).toMatchObject(accepted);
  });

  it.each(TOKEN_ALGORITHMS)('%s is refused by a key of its kind that is published for another', async (alg) => {
    const key = keyOf(alg);
    const others = TOKEN_ALGORITHMS.filter((other) => other !== alg);
    const verifier = await verifierOf(others.map((other) => ({ ...key.jwk, alg: other })));
    await expect(verifier.verify(await tokenOf(key))).rejects.toMatchObject(refused);
  });

  it.each(TOKEN_ALGORITHMS)('%s is refused when the signature is of another', async (alg) => {
    const verifier = await verifierOf(everyKey().map(withoutAlgorithm));
    for (const other of TOKEN_ALGORITHMS.filter((each) => each !== alg)) {
      const [, payload, signature] = (await tokenOf(keyOf(other))).split('.');
      for (const kid of [alg, other]) {
        const forged = `${encode({ alg, kid })}.${payload ?? ''}.${signature ?? ''}`;
        await expect(verifier.verify(forged)).rejects.toMatchObject(refused);
      }
    }
  });
});

describe('algorithms that are never accepted', () => {
  const published = () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const symmetric = { kty: 'oct', k: encode('secret'), kid: 'oct' };
    return [...everyKey().map(withoutAlgorithm), { ...publicKey.export({ format: 'jwk' }), kid: 'k1' }, symmetric];
  };

  it.each(['none', 'None', 'HS256', 'HS384', 'HS512', 'RS1', 'ES256K', 'RSA-OAEP', 'dir', 'Ed448', 'constructor'])(
    '%s',
    async (alg) => {
      const verifier = await verifierOf(published());
      for (const kid of [...TOKEN_ALGORITHMS, 'k1', 'oct']) {
        const input = `${encode({ alg, kid })}.${encode(claims())}`;
        const hmac = createHmac('sha256', 'secret').update(input).digest('base64url');
        await expect(verifier.verify(`${input}.${hmac}`)).rejects.toMatchObject(refused);
      }
    },
  );

  it('RS1 by the right key, and ES256 by a key of another curve', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const verifier = await verifierOf([
      { ...(publicKey.export({ format: 'jwk' }) as JWK), kid: 'k1', alg: 'ES256' },
      { ...(rsa.publicKey.export({ format: 'jwk' }) as JWK), kid: 'rsa' },
    ]);
    const signed = (header: object, digest: string, key: KeyObject): string => {
      const input = `${encode(header)}.${encode(claims())}`;
      const signature = createSign(digest).update(input).sign({ key, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    };
    for (const forged of [
      signed({ alg: 'ES256', kid: 'k1' }, 'sha256', privateKey),
      signed({ alg: 'RS1', kid: 'rsa' }, 'sha1', rsa.privateKey),
      signed({ alg: 'RS256', kid: 'rsa' }, 'sha1', rsa.privateKey),
    ]) {
      await expect(verifier.verify(forged)).rejects.toMatchObject(refused);
    }
    expect(await verifier.verify(signed({ alg: 'RS256', kid: 'rsa' }, 'sha256', rsa.privateKey))).toMatchObject(
      accepted,
    );
  });
});

describe('algorithms that were chosen', () => {
  it('are the only ones accepted', async () => {
    const verifier = await verifierOf(everyKey().map(withoutAlgorithm), ['PS256', 'ES384']);
    for (const alg of TOKEN_ALGORITHMS) {
      const verifying = verifier.verify(await tokenOf(keyOf(alg)));
      if (alg === 'PS256' || alg === 'ES384') expect(await verifying).toMatchObject(accepted);
      else await expect(verifying).rejects.toMatchObject(refused);
    }
  });
});
