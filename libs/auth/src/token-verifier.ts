import { DomainError, expiringCache, systemClock, unavailable, type Clock, type Logger } from '@platform-backend/core';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { invalidToken } from './errors.ts';
import { IssuerUnreachable, issuerKeys } from './issuer-keys.ts';
import { isLogoutTokenType, readLogoutClaims, type VerifiedLogout } from './logout-claims.ts';
import type { PublishedKey } from './published-keys.ts';
import { secretHash } from './secret-hash.ts';
import { TOKEN_ALGORITHMS, type TokenAlgorithm } from './token-algorithms.ts';
import { readTokenClaims, type VerifiedToken } from './token-claims.ts';
import { readTokenHeader } from './token-shape.ts';

/** Clocks of the issuer and ours may differ by this much (D12). */
export const TOKEN_SKEW_SECONDS = 30;
const MAX_TOKENS = 10_000;

export interface TokenVerifierOptions {
  issuer: string;
  audience: string;
  /** Where the issuer's keys are; discovered through OpenID Connect Discovery when absent. */
  jwksUrl?: string | undefined;
  /** Tokens with another signature algorithm are refused; all that are sound unless given. */
  algorithms?: readonly TokenAlgorithm[] | undefined;
  clock?: Clock;
  logger?: Logger;
  /** A verified token is trusted for this long before it is looked at again. */
  cacheMs?: number;
  /** The issuer's keys are fetched anew after this long. */
  refreshAfterMs?: number;
  /** A key id that the issuer did not have is not asked for again in this time. */
  cooldownMs?: number;
  fetchTimeoutMs?: number;
}

export interface TokenVerifier {
  /**
   * @throws DomainError `unauthenticated` ("Invalid or expired token", the reason in `cause` for the
   *   log), or `unavailable` when the issuer's keys were never seen and cannot be fetched.
   */
  verify(token: string): Promise<VerifiedToken>;
  /**
   * A token by which the issuer tells one of these of its clients that a session has ended. Whether it was used before is for
   * whoever keeps what has ended.
   *
   * @throws DomainError as `verify` does.
   */
  verifyLogout(token: string, clientIds: readonly string[]): Promise<VerifiedLogout>;
}

/**
 * Verifies access tokens of the identity provider: signature by a key that the issuer publishes, then
 * `iss`, `aud`, `exp`, `nbf` (D12, RFC 8725). A token seen before costs one look-up.
 */
export function tokenVerifier({
  issuer,
  audience,
  jwksUrl,
  algorithms = TOKEN_ALGORITHMS,
  clock = systemClock,
  logger,
  cacheMs = 30_000,
  refreshAfterMs = 15_000,
  cooldownMs = 5_000,
  fetchTimeoutMs = 3_000,
}: TokenVerifierOptions): TokenVerifier {
  const cache = expiringCache<VerifiedToken>({ maxEntries: MAX_TOKENS, clock });
  /** Counts the issuer's changes of keys, so that a check begun before one is not remembered after it. */
  let keyGeneration = 0;
  const keys = issuerKeys({
    issuer,
    jwksUrl,
    clock,
    logger,
    refreshAfterMs,
    cooldownMs,
    fetchTimeoutMs,
    // A key that was withdrawn must not live on in tokens it signed.
    onChange: () => {
      keyGeneration++;
      cache.clear();
    },
  });

  return {
    async verify(token) {
      const key = secretHash(token);
      const known = cache.get(key);
      if (known) return known;
      try {
        const candidates = await keys.keysFor(readTokenHeader(token, algorithms));
        const generation = keyGeneration;
        const now = clock.now();
        const verified = readTokenClaims(
          await verifiedPayload(token, candidates, {
            issuer,
            audience,
            currentDate: now,
            requiredClaims: ['exp', 'sub'],
          }),
        );
        const goodUntil = Math.min(now.getTime() + cacheMs, verified.expiresAt.getTime() + TOKEN_SKEW_SECONDS * 1000);
        if (generation === keyGeneration) cache.set(key, verified, goodUntil);
        return verified;
      } catch (error) {
        throw refusal(error);
      }
    },

    async verifyLogout(token, clientIds) {
      try {
        const candidates = await keys.keysFor(readTokenHeader(token, algorithms, isLogoutTokenType));
        const expectations = { issuer, audience: [...clientIds], currentDate: clock.now(), requiredClaims: ['exp'] };
        return readLogoutClaims(await verifiedPayload(token, candidates, expectations));
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

interface Expectations {
  issuer: string;
  audience: string | string[];
  currentDate: Date;
  requiredClaims: string[];
}

async function verifiedPayload(
  token: string,
  candidates: readonly PublishedKey[],
  expectations: Expectations,
): Promise<JWTPayload> {
  let failure: unknown = new Error('The issuer has no such key.');
  for (const { key, alg } of candidates) {
    try {
      const { payload } = await jwtVerify(token, key, {
        ...expectations,
        algorithms: [alg],
        clockTolerance: TOKEN_SKEW_SECONDS,
      });
      requirePast(payload, expectations.currentDate);
      return payload;
    } catch (error) {
      failure = error;
      // Two keys may share an id while an issuer rotates; anything but a wrong signature is final.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
    }
  }
  throw failure;
}

/** A token from the future was made by a clock that nobody can rely on for its end either. */
function requirePast({ iat }: JWTPayload, now: Date): void {
  if (iat !== undefined && iat > now.getTime() / 1000 + TOKEN_SKEW_SECONDS)
    throw new Error('The token was issued later than now.');
}

const refusal = (error: unknown): DomainError =>
  error instanceof IssuerUnreachable ? unavailable(error, error.retryAfterSeconds) : invalidToken({ cause: error });
