import type { JWK } from 'jose';

/** What kind of key each algorithm takes: the type and, but for RSA, the curve. */
const KEY_OF_ALGORITHM = {
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'EC P-256',
  ES384: 'EC P-384',
  ES512: 'EC P-521',
  // Two names of the same: RFC 9864 puts the second in the place of the first.
  EdDSA: 'OKP Ed25519',
  Ed25519: 'OKP Ed25519',
} as const;

export type TokenAlgorithm = keyof typeof KEY_OF_ALGORITHM;

/**
 * The signature algorithms that a token may have, and all that are accepted unless fewer are chosen. What is missing
 * is never accepted: no signature at all, secrets shared with the issuer (HMAC), SHA-1.
 */
export const TOKEN_ALGORITHMS = Object.keys(KEY_OF_ALGORITHM) as readonly TokenAlgorithm[];

/** What a published key may verify: the algorithms of its kind and, when it names one, that one alone (RFC 8725, 3.1). */
export function algorithmsOf({ kty, crv, alg }: JWK): readonly TokenAlgorithm[] {
  const kind = kty === 'RSA' ? kty : `${kty ?? ''} ${crv ?? ''}`;
  return TOKEN_ALGORITHMS.filter((known) => KEY_OF_ALGORITHM[known] === kind && (alg === undefined || alg === known));
}
