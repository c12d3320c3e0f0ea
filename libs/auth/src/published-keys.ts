import { createHash } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { TokenAlgorithm } from './token-shape.ts';

/** A key that an issuer published and that may verify tokens. */
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
const MOST_KEYS = 50;

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
  for (const jwk of published.slice(0, MOST_KEYS) as JWK[]) {
    const alg = algorithmOf(jwk);
    if (!alg) continue;
    const publicPart = publicPartOf(jwk);
    try {
      const key = await importJWK(publicPart, alg);
      keys.push({ kid: jwk.kid, alg, key });
      fingerprint.update(JSON.stringify([jwk.kid, publicPart]));
    } catch {
      // A damaged key must not take the good ones with it.
    }
  }
  return { keys, fingerprint: fingerprint.digest('base64url') };
}

/** The one algorithm a key may be used with; the key decides it, so a token cannot confuse it. */
function algorithmOf(jwk: unknown): TokenAlgorithm | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  const { kty, crv, alg, use, key_ops: operations, kid } = jwk as JWK;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  const natural =
    kty === 'RSA'
      ? 'RS256'
      : kty === 'EC' && crv === 'P-256'
        ? 'ES256'
        : kty === 'OKP' && crv === 'Ed25519'
          ? 'EdDSA'
          : undefined;
  return alg === undefined || alg === natural ? natural : undefined;
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
