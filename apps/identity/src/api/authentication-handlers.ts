import type { AuthenticationServiceHandlers, ResolvedCallerInput } from '@platform/contract/identity';
import type { CallContext } from '@platform/grpc';
import type { IdentityApp } from '../app/identity-app.ts';
import type { ResolvedCaller } from '../domain/authentication/resolved-caller.ts';

export const authenticationHandlers = (app: IdentityApp): AuthenticationServiceHandlers<CallContext> => ({
  async resolveUser({ organisationId, claimedOrganisationId, ...person }) {
    const { issuer, subject, name, email, emailVerified } = person;
    const wanted = { claimed: claimedOrganisationId, requested: organisationId };
    return callerMessage(await app.resolveUser({ issuer, subject, name, email, emailVerified }, wanted));
  },

  async resolveApiKey({ keyHash }) {
    return callerMessage(await app.resolveApiKey(keyHash));
  },
});

const callerMessage = (caller: ResolvedCaller): ResolvedCallerInput => ({
  userId: caller.userId,
  userName: caller.userName,
  userEmail: caller.userEmail,
  emailVerified: caller.emailVerified,
  organisationId: caller.membership?.organisationId ?? '',
  organisationRequired: caller.organisationRequired,
  level: caller.membership?.level ?? null,
  clientGroupId: caller.membership?.clientGroupId ?? '',
  apiKeyId: caller.apiKeyId ?? '',
  scopes: caller.scopes,
  expiresAt: caller.expiresAt,
});
