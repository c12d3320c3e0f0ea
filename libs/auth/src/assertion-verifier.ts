import { expiringCache, systemClock, type Clock } from '@platform-backend/core';
import {
  decodeProtectedHeader,
  errors,
  importJWK,
  jwtVerify,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose';
import { ASSERTION_ALGORITHM, ASSERTION_AUDIENCE, ASSERTION_TYPE, callerFrom } from './assertion-claims.ts';
import type { Caller } from './caller.ts';
import { invalidCallerAssertion } from './errors.ts';
import { secretHash } from './secret-hash.ts';

const MAX_ASSERTIONS = 10_000;
/** An assertion is ours from beginning to end; a larger one is nothing we made. */
const MAX_ASSERTION = 8 * 1024;
/** Clocks of our own machines may differ this much. */
const SKEW_SECONDS = 5;
/** Whatever its `exp` says, no assertion counts for longer: a stolen one must die soon. */
const MAX_LIFE_SECONDS = 300;

export interface AssertionVerifier {
  /**
   * The caller that a trusted service vouches for.
   *
   * @throws DomainError `unauthenticated` when the assertion is forged, damaged, expired or signed
   *   in another service's name.
   */
  verify(assertion: string): Promise<Caller>;
}

export interface AssertionVerifierOptions {
  /** Public keys of the services, `kid` being the service's name; two keys of one name while it changes keys. */
  keys: JSONWebKeySet;
  clock?: Clock;
}

/** Checks caller assertions; one that was seen before costs a look-up. */
export function assertionVerifier({ keys, clock = systemClock }: AssertionVerifierOptions): AssertionVerifier {
  const cache = expiringCache<Caller>({ maxEntries: MAX_ASSERTIONS, clock });
  const keysOf = new Map<string, Promise<CryptoKey | Uint8Array>[]>();
  for (const jwk of keys.keys) {
    if (!jwk.kid || jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519') continue;
    const { d: _never, ...publicPart } = jwk;
    const imported = importJWK(publicPart, ASSERTION_ALGORITHM);
    imported.catch(() => undefined); // Reported to whoever first needs the key.
    keysOf.set(jwk.kid, [...(keysOf.get(jwk.kid) ?? []), imported]);
  }

  const check = async (assertion: string): Promise<{ caller: Caller; expiresAt: number }> => {
    if (assertion.length > MAX_ASSERTION) throw new Error('The assertion is too large.');
    const { kid = '' } = decodeProtectedHeader(assertion);
    const candidates = keysOf.get(kid);
    if (!candidates) throw new Error('No such service is known.');

    const payload = await verifiedPayload(assertion, kid, candidates, clock.now());
    const { iat = 0, exp = 0 } = payload;
    if (exp - iat > MAX_LIFE_SECONDS) throw new Error('The assertion lives for too long.');
    const caller = callerFrom(payload, kid);
    if (!caller) throw new Error('The assertion names no caller.');
    return { caller, expiresAt: (exp + SKEW_SECONDS) * 1000 };
  };

  return {
    async verify(assertion) {
      const key = secretHash(assertion);
      const known = cache.get(key);
      if (known) return known;
      try {
        const { caller, expiresAt } = await check(assertion);
        cache.set(key, caller, expiresAt);
        return caller;
      } catch (error) {
        throw invalidCallerAssertion({ cause: error });
      }
    },
  };
}

async function verifiedPayload(
  assertion: string,
  service: string,
  candidates: readonly Promise<CryptoKey | Uint8Array>[],
  currentDate: Date,
): Promise<JWTPayload> {
  let failure: unknown;
  for (const candidate of candidates) {
    try {
      const { payload } = await jwtVerify(assertion, await candidate, {
        algorithms: [ASSERTION_ALGORITHM],
        audience: ASSERTION_AUDIENCE,
        // `kid` chose the key; the same name as issuer means that a service speaks only for itself.
        issuer: service,
        typ: ASSERTION_TYPE,
        requiredClaims: ['iat', 'exp'],
        // Also refuses an assertion from the future.
        maxTokenAge: MAX_LIFE_SECONDS,
        clockTolerance: SKEW_SECONDS,
        currentDate,
      });
      return payload;
    } catch (error) {
      failure = error;
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw failure;
}
