import type { JWTPayload } from 'jose';
import { IDENTIFIER } from './token-claims.ts';

/** What a good logout token says has ended (OpenID Connect Back-Channel Logout 1.0, 2.4). */
export interface VerifiedLogout {
  /** Names the token; each counts once. */
  readonly tokenId: string;
  /** Absent: whoever has the session. */
  readonly subject?: string;
  /** Absent: all sessions of the subject. */
  readonly sessionId?: string;
  readonly issuedAt: Date;
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** `logout+jwt` as the specification recommends, or nothing said, or a plain JWT as of issuers before that. */
export const isLogoutTokenType = (typ: unknown): boolean =>
  typ === undefined || (typeof typ === 'string' && /^(?:application\/)?(?:logout\+)?jwt$/i.test(typ));

/**
 * Reads the claims of a logout token whose signature, issuer, audience and times are good.
 *
 * @throws Error whose message is for the log only.
 */
export function readLogoutClaims({ sub, sid, jti, iat, nonce, events }: JWTPayload): VerifiedLogout {
  // Else an ID token could be passed off as a logout token.
  if (nonce !== undefined) throw new Error('The logout token has a nonce.');
  if (!isRecord(events) || !isRecord(events[LOGOUT_EVENT])) throw new Error('The token tells of no logout.');
  if (iat === undefined) throw new Error('The logout token does not say when it was issued.');
  const tokenId = identifier(jti, 'id');
  if (tokenId === undefined) throw new Error('The logout token has no id.');
  const subject = identifier(sub, 'subject');
  const sessionId = identifier(sid, 'session');
  if (subject === undefined && sessionId === undefined) throw new Error('The logout token names nobody.');
  return {
    tokenId,
    ...(subject !== undefined && { subject }),
    ...(sessionId !== undefined && { sessionId }),
    issuedAt: new Date(iat * 1000),
  };
}

function identifier(claim: unknown, what: string): string | undefined {
  if (claim === undefined) return undefined;
  if (typeof claim !== 'string' || !IDENTIFIER.test(claim)) throw new Error(`The ${what} is not usable.`);
  return claim;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
