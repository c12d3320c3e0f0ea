import {
  apiKeyHash,
  callerFields,
  isWellFormedApiKey,
  secretHash,
  TOKEN_SKEW_SECONDS,
  type Caller,
  type CallerAssertions,
  type CredentialKind,
  type TokenVerifier,
} from '@platform-backend/auth';
import { DomainError, forbidden, inRequest, notAMember, unavailable } from '@platform-backend/core';
import { GATEWAY } from '@platform-backend/grpc';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidApiKey } from '../errors.ts';
import type { CallerCache, ResolvedCaller } from './caller-cache.ts';
import { apiKeyHeaderCredential, bearerCredential, type Credential } from './credentials.ts';
import type { IdentityDirectory } from './identity-directory.ts';

/** Nobody we know: the request carried no credential. */
export const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous', service: GATEWAY, scopes: [] });

/** A credential whose end nobody told us is looked up again long before this. */
const NO_END = Number.POSITIVE_INFINITY;

export interface ResolveCallerPorts {
  readonly tokens: TokenVerifier;
  readonly issuer: string;
  readonly identity: IdentityDirectory;
  readonly assertions: CallerAssertions;
  readonly cache: CallerCache;
  readonly lookedUp: (outcome: 'resolved' | 'refused' | 'failed') => void;
}

/**
 * Says who sent a request, by D11 and D12, together with the assertion that services verify. Given at
 * once when the caller is remembered.
 *
 * @throws DomainError (or rejects with it) `unauthenticated` for a bad credential, `forbidden` where
 *   the organisation asked for is not the caller's, `unavailable` when identity cannot be asked.
 */
export type ResolveCaller = (
  headers: IncomingHttpHeaders,
  accepted: readonly CredentialKind[],
  requestId: string,
) => ResolvedCaller | Promise<ResolvedCaller>;

export function callerResolver(ports: ResolveCallerPorts): ResolveCaller {
  return (headers, accepted, requestId) => {
    const resolve = (credential: Credential, organisationId: string): ResolvedCaller | Promise<ResolvedCaller> =>
      ports.cache.get(cacheKey(credential, organisationId), () =>
        inRequest(requestId, () => lookUp(ports, credential, organisationId)),
      );
    const bearer = bearerCredential(headers);
    const key = accepted.includes('API_KEY_HEADER') ? apiKeyHeaderCredential(headers) : undefined;
    const asked = organisationHeader(headers);
    if (key) return resolveWithKey(resolve, key, bearer, asked);
    if (!bearer) return withAssertion(ports.assertions, ANONYMOUS, NO_END);
    const resolved = resolve(bearer, asked);
    if (bearer.kind === 'token') return resolved;
    return resolved instanceof Promise ? resolved.then((key) => actingIn(asked, key)) : actingIn(asked, resolved);
  };
}

async function withAssertion(assertions: CallerAssertions, caller: Caller, expiresAt: number): Promise<ResolvedCaller> {
  return { caller, assertion: await assertions.issue(caller), expiresAt };
}

/**
 * The key in `Api-key` is the caller. A bearer beside it must be good as well and act in the key's
 * organisation; neither ever stands in for the other (D11).
 */
async function resolveWithKey(
  resolve: (credential: Credential, organisationId: string) => ResolvedCaller | Promise<ResolvedCaller>,
  key: Credential,
  bearer: Credential | undefined,
  asked: string,
): Promise<ResolvedCaller> {
  const resolved = await resolve(key, '');
  const { organisationId } = resolved.caller;
  if (bearer) {
    // A member of several organisations who names none means the one whose key is here.
    const beside = await resolve(bearer, bearer.kind === 'token' ? asked || (organisationId ?? '') : '');
    if (beside.caller.organisationId !== organisationId) throw forbidden();
  }
  return actingIn(asked, resolved);
}

/** A key has one organisation. Whoever names another beside it would be surprised by what the key did (D12). */
function actingIn(asked: string, key: ResolvedCaller): ResolvedCaller {
  if (asked !== '' && asked !== key.caller.organisationId) throw notAMember();
  return key;
}

function organisationHeader(headers: IncomingHttpHeaders): string {
  const header = headers['x-organisation-id'];
  return typeof header === 'string' ? header.trim() : '';
}

/** Two requests share an entry only when both secret and organisation are the same. No text is joined to the secret to be hashed: that copies it. */
const cacheKey = ({ kind, secret }: Credential, organisationId: string): string =>
  kind === 'api_key' ? secretHash(secret) : `${secretHash(secret)} ${organisationId}`;

async function lookUp(
  ports: ResolveCallerPorts,
  credential: Credential,
  organisationId: string,
): Promise<ResolvedCaller> {
  try {
    const resolved =
      credential.kind === 'token'
        ? await lookUpUser(ports, credential.secret, organisationId)
        : await lookUpApiKey(ports, credential.secret);
    ports.lookedUp('resolved');
    return resolved;
  } catch (error) {
    const refused = error instanceof DomainError && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
    ports.lookedUp(refused ? 'refused' : 'failed');
    // The operation has not begun: unlike a 504, this says that asking again does no harm.
    throw error instanceof DomainError && error.kind === 'deadline_exceeded' ? unavailable(error, 1) : error;
  }
}

async function lookUpUser(
  { tokens, issuer, identity, assertions }: ResolveCallerPorts,
  secret: string,
  organisationId: string,
): Promise<ResolvedCaller> {
  const token = await tokens.verify(secret);
  // Whoever names another organisation than the token would be surprised by what the request did, as with a key (D12).
  if (organisationId !== '' && token.organisationId !== undefined && organisationId !== token.organisationId)
    throw notAMember();
  const user = await identity.resolveUser({
    issuer,
    subject: token.subject,
    email: token.email ?? '',
    emailVerified: token.emailVerified ?? false,
    name: token.name ?? '',
    organisationId,
    claimedOrganisationId: token.organisationId ?? '',
    sessionId: token.sessionId ?? '',
    issuedAt: token.issuedAt ?? null,
  });
  const caller = Object.freeze({ kind: 'user', service: GATEWAY, ...callerFields(user), scopes: [] } as const);
  return withAssertion(assertions, caller, token.expiresAt.getTime() + TOKEN_SKEW_SECONDS * 1_000);
}

async function lookUpApiKey({ identity, assertions }: ResolveCallerPorts, secret: string): Promise<ResolvedCaller> {
  if (!isWellFormedApiKey(secret)) throw invalidApiKey();
  const key = await identity.resolveApiKey({ keyHash: apiKeyHash(secret) }).catch((error: unknown) => {
    throw error instanceof DomainError && error.kind === 'unauthenticated' ? invalidApiKey() : error;
  });
  const caller = Object.freeze({
    kind: 'api_key',
    service: GATEWAY,
    ...callerFields(key),
    ...(key.apiKeyId && { apiKeyId: key.apiKeyId }),
    scopes: Object.freeze([...key.scopes]),
  } as const);
  return withAssertion(assertions, caller, key.expiresAt?.getTime() ?? NO_END);
}
