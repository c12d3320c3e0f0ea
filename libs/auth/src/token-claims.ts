import type { JWTPayload } from 'jose';
import { displayName } from './display-name.ts';
import { isTokenType } from './token-shape.ts';

/** What a good token says about its bearer; every text is bounded and can be stored. */
export interface VerifiedToken {
  /** The user, in the issuer's own terms: at most 255 characters. */
  readonly subject: string;
  /** At most 320 characters, with an `@`. */
  readonly email?: string;
  /** Only the JSON value `true` proves an address; the text `"true"` does not count. */
  readonly emailVerified?: boolean;
  /** At most 200 characters. */
  readonly name?: string;
  /** The `org_id` claim, at most 255 characters: which organisation the bearer asks for, not that it is a member. */
  readonly organisationId?: string;
  /** The `sid` claim, at most 255 characters: the session at the issuer that it is of. */
  readonly sessionId?: string;
  readonly issuedAt?: Date;
  readonly expiresAt: Date;
}

/** The last second that a Date can hold. */
const LATEST_SECOND = 8.64e12;
export const IDENTIFIER = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
/** Only in quotes may what is before the `@` have another one, or blanks. */
const EMAIL = /^(?=.{3,320}$)(?:"[^\p{C}]+"|[^\s\p{C}@]+)@[^\s\p{C}@]+$/u;

/** What ID tokens (OpenID Connect Core, 3.1.3.6 and 3.3.2.11) and logout tokens have, and access tokens do not. */
const CLAIMS_OF_OTHERS = ['at_hash', 'c_hash', 's_hash', 'nonce', 'events'] as const;

/**
 * Refuses what the issuer signed for other ends. The audience does not tell it apart where one client is known under
 * the same name as the API. Keycloak says in the claim `typ` what a token is, Cognito in `token_use`.
 */
function refuseOtherTokens(claims: JWTPayload): void {
  const { typ, token_use: use } = claims;
  const isBearer = typeof typ === 'string' && typ.toLowerCase() === 'bearer';
  if (!isBearer && !isTokenType(typ)) throw new Error('The claims say that the token is of another type.');
  if (use !== undefined && use !== 'access') throw new Error('The token is for another use than access.');
  const other = CLAIMS_OF_OTHERS.find((name) => name in claims);
  if (other !== undefined) throw new Error(`The token has "${other}", so it is no access token.`);
}

/**
 * Reads the claims of a token whose signature is good. What identifies somebody is taken as it is or the token is
 * refused, for cut or cleaned it could mean another person; a name is only shown, so `displayName` makes it fit.
 * A claim of another type than expected counts as absent.
 *
 * @throws Error whose message is for the log only.
 */
export function readTokenClaims(claims: JWTPayload): VerifiedToken {
  refuseOtherTokens(claims);
  const { sub, exp = 0, iat, email_verified: emailVerified } = claims;
  if (typeof sub !== 'string' || !IDENTIFIER.test(sub)) throw new Error('The subject is not usable.');
  if (!(exp < LATEST_SECOND)) throw new Error('The expiry is no point in time.');
  const email = textOf(claims['email']);
  if (email !== '' && !EMAIL.test(email)) throw new Error('The e-mail address is none.');
  const organisationId = textOf(claims['org_id']);
  if (organisationId !== '' && !IDENTIFIER.test(organisationId)) throw new Error('The organisation is not usable.');
  const sessionId = textOf(claims['sid']);
  // What could not be named in a logout token would never end.
  if (sessionId !== '' && !IDENTIFIER.test(sessionId)) throw new Error('The session is not usable.');
  const name = displayName(textOf(claims['name']));
  return Object.freeze({
    subject: sub,
    ...(email !== '' && { email }),
    ...(typeof emailVerified === 'boolean' && { emailVerified }),
    ...(name !== '' && { name }),
    ...(organisationId !== '' && { organisationId }),
    ...(sessionId !== '' && { sessionId }),
    ...(iat !== undefined && { issuedAt: new Date(iat * 1000) }),
    expiresAt: new Date(exp * 1000),
  });
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');
