import type { AuthenticationServiceHandlers, ResolvedCallerInput } from '@platform-backend/contract-identity';
import type { CallContext } from '@platform-backend/grpc';
import type { AuthenticationUseCases } from '../app/authentication.ts';
import type { ResolvedCaller } from '../domain/resolved-caller.ts';

export const authenticationHandlers = (app: AuthenticationUseCases): AuthenticationServiceHandlers<CallContext> => ({
  async resolveUser({ organisationId, claimedOrganisationId, sessionId, issuedAt, ...person }) {
    const { issuer, subject, name, email, emailVerified } = person;
    const wanted = { claimed: claimedOrganisationId, requested: organisationId };
    const known = { issuer, subject, name, email, emailVerified };
    return callerMessage(await app.resolveUser(known, { sessionId, issuedAt }, wanted));
  },

  async endSessions({ issuer, tokenId, subject, sessionId, endedAt }) {
    await app.endSessions({ issuer, tokenId, subject, sessionId, endedAt });
    return {};
  },

  resolveApiKey: async ({ keyHash }) => callerMessage(await app.resolveApiKey(keyHash)),
});

const callerMessage = ({ membership, apiKeyId, ...caller }: ResolvedCaller): ResolvedCallerInput => ({
  ...caller,
  organisationId: membership?.organisationId ?? '',
  level: membership?.level ?? null,
  clientGroupId: membership?.clientGroupId ?? '',
  apiKeyId: apiKeyId ?? '',
});
