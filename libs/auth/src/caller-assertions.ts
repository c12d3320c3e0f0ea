import { expiringCache, monotonicMs, systemClock, type Clock, type ElapsedMs } from '@platform-backend/core';
import { importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { ASSERTION_ALGORITHM, ASSERTION_AUDIENCE, ASSERTION_TYPE, claimsOf } from './assertion-claims.ts';
import type { Caller } from './caller.ts';
import { secretHash } from './secret-hash.ts';

/** An assertion is replaced this many seconds before it expires, so that none dies on its way. */
const RENEW_BEFORE_SECONDS = 15;
/** Of at most 8 KiB each, and usually less than one. */
const MAX_CALLERS = 10_000;
/** The clock was set, and has not only drifted, when it moves this much against the time that has passed, in milliseconds. */
const CLOCK_WAS_SET_MS = 1_000;

export interface CallerAssertions {
  /** The name this service signs with. */
  readonly service: string;
  /**
   * A signed statement of who is calling, valid for at least 15 more seconds. The same caller gets
   * the same statement again, at once, until it has to be renewed. `service` is always our own name.
   */
  issue(caller: Caller): string | Promise<string>;
}

export interface CallerAssertionOptions {
  service: string;
  /** Ed25519 private JWK of this service. */
  privateKey: JWK;
  clock?: Clock;
  /** Says when assertions are renewed, so that none is kept beyond its time by a clock that is set back. */
  elapsedMs?: ElapsedMs;
  lifetimeSeconds?: number;
}

/** Makes the caller assertions of one service. */
export function callerAssertions({
  service,
  privateKey,
  clock = systemClock,
  elapsedMs = monotonicMs,
  lifetimeSeconds = 60,
}: CallerAssertionOptions): CallerAssertions {
  const cache = expiringCache<string | Promise<string>>({
    maxEntries: MAX_CALLERS,
    clock: { now: () => new Date(elapsedMs()) },
  });
  /** Of the clock against the time that has passed, when the assertions in the cache were made. */
  let offsetMs: number | undefined;
  let signingKey: Promise<CryptoKey | Uint8Array> | undefined;

  const sign = async (caller: Caller, issuedAt: number): Promise<string> => {
    signingKey ??= importJWK(privateKey, ASSERTION_ALGORITHM);
    return new SignJWT({ ...claimsOf(caller) })
      .setProtectedHeader({ alg: ASSERTION_ALGORITHM, typ: ASSERTION_TYPE, kid: service })
      .setIssuer(service)
      .setAudience(ASSERTION_AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(await signingKey);
  };

  return {
    service,
    issue(caller) {
      const [now, elapsed] = [clock.now().getTime(), elapsedMs()];
      offsetMs ??= now - elapsed;
      if (Math.abs(now - elapsed - offsetMs) > CLOCK_WAS_SET_MS) {
        offsetMs = now - elapsed;
        cache.clear();
      }
      const key = cacheKey(caller);
      const known = cache.get(key);
      if (known !== undefined) return known;

      const renewAt = elapsed + Math.max(lifetimeSeconds - RENEW_BEFORE_SECONDS, 1) * 1000;
      // Callers that arrive while one signature is being made share it.
      const signing = sign(caller, Math.floor(now / 1000)).then(
        (assertion) => {
          cache.set(key, assertion, renewAt);
          return assertion;
        },
        (error: unknown) => {
          cache.delete(key);
          throw error;
        },
      );
      cache.set(key, signing, renewAt);
      return signing;
    },
  };
}

/** JSON keeps the fields apart whatever they contain. `service` is left out: it is always ours. */
const cacheKey = (caller: Caller): string =>
  secretHash(
    JSON.stringify([
      caller.kind,
      caller.organisationId,
      caller.userId,
      caller.apiKeyId,
      caller.clientGroupId,
      caller.organisationRequired,
      caller.membershipSuspended,
      caller.level,
      caller.userName,
      caller.userEmail,
      caller.emailVerified,
      caller.scopes,
    ]),
  );
