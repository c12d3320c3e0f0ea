import { importJWK, type CryptoKey, type JWK } from 'jose';
import { createHash } from 'node:crypto';
import { algorithmsOf, type TokenAlgorithm } from './token-algorithms.ts';

/** A key that an issuer published, for one of the algorithms with which it may verify tokens. */
export interface PublishedKey {
  kid: string | undefined;
  alg: TokenAlgorithm;
  key: CryptoKey | Uint8Array;
}

export interface KeySet {
  keys: readonly PublishedKey[];
  /** Changes exactly when a key is added, removed or replaced. */
  fingerprint: string;
}

/** More keys than this in a set are not looked at. */
const MAX_KEYS = 50;

/**
 * Takes from a JWKS document the keys we may use; others (symmetric, for encryption, of
 * other curves) are passed over, as issuers publish them beside the right ones.
 *
 * @throws Error when the document is no key set at all.
 */
export async function readKeySet(document: Readonly<Record<string, unknown>>): Promise<KeySet> {
  const { keys: published } = document;
  if (!Array.isArray(published)) throw new Error('The key set has no list of keys.');
  const keys: PublishedKey[] = [];
  const fingerprint = createHash('sha256');
  for (const jwk of published.slice(0, MAX_KEYS) as unknown[]) {
    if (!mayVerify(jwk)) continue;
    const publicPart = publicPartOf(jwk);
    for (const alg of algorithmsOf(jwk)) {
      try {
        keys.push({ kid: jwk.kid, alg, key: await importJWK(publicPart, alg) });
        fingerprint.update(JSON.stringify([jwk.kid, alg, publicPart]));
      } catch {
        // A damaged key must not take the good ones with it.
      }
    }
  }
  return { keys, fingerprint: fingerprint.digest('base64url') };
}

function mayVerify(jwk: unknown): jwk is JWK {
  if (typeof jwk !== 'object' || jwk === null) return false;
  const { alg, use, key_ops: operations, kid } = jwk as Record<string, unknown>;
  if (use !== undefined && use !== 'sig') return false;
  if (Array.isArray(operations) && !operations.includes('verify')) return false;
  return [alg, kid].every((text) => text === undefined || typeof text === 'string');
}

/** An issuer that publishes private parts by mistake does not make us hold them. */
const publicPartOf = ({ kty = '', crv, x, y, n, e }: JWK): JWK => ({
  kty,
  ...(crv !== undefined && { crv }),
  ...(x !== undefined && { x }),
  ...(y !== undefined && { y }),
  ...(n !== undefined && { n }),
  ...(e !== undefined && { e }),
});
