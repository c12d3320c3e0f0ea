import {
  DomainError,
  expiringCache,
  monotonicMs,
  systemClock,
  type Clock,
  type ElapsedMs,
} from '@platform-backend/core';
import {
  decodeJwt,
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
import { clocksDiffer, invalidCallerAssertion } from './errors.ts';
import { secretHash } from './secret-hash.ts';

const MAX_ASSERTIONS = 10_000;
/** An assertion is ours from beginning to end; a larger one is nothing we made. */
const MAX_ASSERTION = 8 * 1024;
/** Clocks of our own machines may differ this much. */
const SKEW_SECONDS = 60;
/** Whatever its `exp` says, no assertion counts for longer: a stolen one must die soon. */
const MAX_LIFE_SECONDS = 300;

export interface AssertionVerifier {
  /**
   * The caller that a trusted service vouches for.
   *
   * @throws DomainError `unauthenticated` when the assertion is forged, damaged or signed
   *   in another service's name; `unavailable` with the code `clocks_differ` when its signature is good and its time is not.
   */
  verify(assertion: string): Promise<Caller>;
}

export interface AssertionVerifierOptions {
  /** Public keys of the services, `kid` being the service's name; two keys of one name while it changes keys. */
  keys: JSONWebKeySet;
  clock?: Clock;
  elapsedMs?: ElapsedMs;
  /**
   * Told of every assertion that is seen for the first time by how many seconds its signer's clock seems to be ahead of
   * ours. An assertion that was signed a while ago makes it look behind, by 45 s at most.
   */
  onSkew?: ((service: string, aheadSeconds: number) => void) | undefined;
}

/** Checks caller assertions; one that was seen before costs a look-up. */
export function assertionVerifier({
  keys,
  clock = systemClock,
  elapsedMs = monotonicMs,
  onSkew,
}: AssertionVerifierOptions): AssertionVerifier {
  const cache = expiringCache<Caller>({ maxEntries: MAX_ASSERTIONS, clock: { now: () => new Date(elapsedMs()) } });
  const keysOf = new Map<string, Promise<CryptoKey | Uint8Array>[]>();
  for (const jwk of keys.keys) {
    if (!jwk.kid || jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519') continue;
    const { d: _never, ...publicPart } = jwk;
    const imported = importJWK(publicPart, ASSERTION_ALGORITHM);
    imported.catch(() => undefined); // Reported to whoever first needs the key.
    keysOf.set(jwk.kid, [...(keysOf.get(jwk.kid) ?? []), imported]);
  }

  const check = async (assertion: string): Promise<{ caller: Caller; goodForMs: number }> => {
    if (assertion.length > MAX_ASSERTION) throw new Error('The assertion is too large.');
    const { kid = '' } = decodeProtectedHeader(assertion);
    const candidates = keysOf.get(kid);
    if (!candidates) throw new Error('No such service is known.');

    const now = clock.now();
    const payload = await verifiedPayload(assertion, kid, candidates);
    const { iat = 0, exp = 0 } = payload;
    if (exp - iat > MAX_LIFE_SECONDS) throw new Error('The assertion lives for too long.');
    const caller = callerFrom(payload, kid);
    if (!caller) throw new Error('The assertion names no caller.');
    const nowSeconds = now.getTime() / 1000;
    onSkew?.(kid, iat - Math.floor(nowSeconds));
    if (iat > nowSeconds + SKEW_SECONDS || exp + SKEW_SECONDS < nowSeconds) throw differ(kid, iat, now);
    return { caller, goodForMs: (exp + SKEW_SECONDS) * 1000 - now.getTime() };
  };

  return {
    async verify(assertion) {
      const key = secretHash(assertion);
      const known = cache.get(key);
      if (known) return known;
      try {
        const { caller, goodForMs } = await check(assertion);
        cache.set(key, caller, elapsedMs() + goodForMs);
        return caller;
      } catch (error) {
        if (error instanceof DomainError) throw error;
        throw invalidCallerAssertion({ cause: error });
      }
    },
  };
}

/** When an assertion says that it was signed. */
function signedAt(assertion: string): Date {
  const { iat } = decodeJwt(assertion);
  return new Date((iat ?? 0) * 1000);
}

const differ = (service: string, signedAtSeconds: number, now: Date): DomainError =>
  clocksDiffer({
    service,
    seconds: SKEW_SECONDS,
    cause: new Error(
      `An assertion of ${service} was signed at ${new Date(signedAtSeconds * 1000).toISOString()}, and it is ${now.toISOString()} here.`,
    ),
  });

async function verifiedPayload(
  assertion: string,
  service: string,
  candidates: readonly Promise<CryptoKey | Uint8Array>[],
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
        clockTolerance: SKEW_SECONDS,
        // Whether it is of now is looked at once all else is known to be right: it then says something of two clocks.
        currentDate: signedAt(assertion),
      });
      return payload;
    } catch (error) {
      failure = error;
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw failure;
}
