/** Who is calling, with the caches the platform's gateway has: tokens until they expire, callers for 1.5 s. */
import { callerAssertions } from '@platform-backend/auth';
import { systemClock } from '@platform-backend/core';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import type { IdentityClient } from './identity-client.ts';

/** A resolved caller is believed this long, as in the platform: a revocation shows within 2 s. */
const CALLER_LIFETIME_MS = 1_500;
/** Tokens remembered at once. */
const MAX_TOKENS = 10_000;

export class Unauthenticated extends Error {}

type Settings = {
  issuer: string;
  audience: string;
  jwksUrl: string;
  servicePrivateKey: string;
  identity: IdentityClient;
};

/** Answers the caller assertions to send with a request's gRPC call. */
export const resolveCallers = ({ issuer, audience, jwksUrl, servicePrivateKey, identity }: Settings) => {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  const assertions = callerAssertions({
    service: 'gateway',
    privateKey: JSON.parse(servicePrivateKey) as Parameters<typeof callerAssertions>[0]['privateKey'],
    clock: systemClock,
  });
  const verified = new Map<string, { claims: JWTPayload; until: number }>();
  const resolved = new Map<string, { assertion: string; until: number }>();

  const verify = async (token: string): Promise<JWTPayload> => {
    const known = verified.get(token);
    if (known && known.until > Date.now()) return known.claims;
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ['RS256', 'ES256', 'EdDSA'],
      clockTolerance: 60,
    }).catch(() => {
      throw new Unauthenticated();
    });
    if (verified.size >= MAX_TOKENS) verified.clear();
    verified.set(token, { claims: payload, until: (payload.exp ?? 0) * 1000 });
    return payload;
  };

  const text = (value: unknown): string => (typeof value === 'string' ? value : '');

  const assertionOfNobody = (): string | Promise<string> =>
    assertions.issue({ kind: 'anonymous', service: 'gateway', scopes: [] });

  const assertionFor = async (authorization: string | undefined, organisationId = ''): Promise<string> => {
    if (!authorization?.startsWith('Bearer ')) throw new Unauthenticated();
    const token = authorization.slice(7);
    const claims = await verify(token);
    const key = organisationId === '' ? token : `${organisationId} ${token}`;
    const known = resolved.get(key);
    if (known && known.until > Date.now()) return known.assertion;

    const ourselves = await assertions.issue({ kind: 'service', service: 'gateway', scopes: [] });
    const caller = await identity.resolveUser(
      {
        issuer,
        subject: text(claims.sub),
        email: text(claims['email']),
        email_verified: claims['email_verified'] === true,
        name: text(claims['name']),
        organisation_id: organisationId,
        claimed_organisation_id: text(claims['org_id']),
      },
      ourselves,
      'resolve',
    );
    const assertion = await assertions.issue({
      kind: 'user',
      service: 'gateway',
      organisationId: caller.organisation_id,
      userId: caller.user_id,
      userName: caller.user_name,
      userEmail: caller.user_email,
      emailVerified: caller.email_verified,
      level: caller.level.replace('PERMISSION_LEVEL_', '') as 'OWNER',
      scopes: [],
    });
    if (resolved.size >= MAX_TOKENS) resolved.clear();
    resolved.set(key, { assertion, until: Date.now() + CALLER_LIFETIME_MS });
    return assertion;
  };
  return { assertionFor, assertionOfNobody };
};
