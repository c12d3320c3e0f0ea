import { callerAssertions, callerFields, type CallerAssertions } from '@platform-backend/auth';
import { loadServiceContract } from '@platform-backend/contract';
import {
  identityContract,
  type AuthenticationServiceClient,
  type ResolvedCaller,
} from '@platform-backend/contract-identity';
import { CALLER_ASSERTION, createClient, GATEWAY, type CallOptions, type Closable } from '@platform-backend/grpc';
import { decodeJwt } from 'jose';
import { accessToken, type TokenHolder } from './access-token.ts';
import { homePaths, readOwnJson } from './home.ts';
import { readRunFile, type RunFile } from './run-file.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** As long as services believe one at all. */
const LIFETIME_SECONDS = 300;

/**
 * What the gateway of the platform that runs on this home would send services with a request of this person, as a header for `buf curl`
 * or `grpcurl`: good for five minutes. Whoever is new becomes a user by it. An Error says what to do where there is none.
 */
export async function assertionHeader(settings: Settings, holder: TokenHolder): Promise<string> {
  const token = await accessToken(settings, holder);
  const { servicePrivateKeys } = readOwnJson(homePaths(settings.home).secrets) as Secrets;
  const privateKey = servicePrivateKeys[GATEWAY];
  const run = readRunFile(settings.home);
  const address = run?.services['identity']?.address;
  if (!run || address === undefined || !privateKey)
    throw new Error(`The platform on ${settings.homeAsTyped} has no identity, or the gateway no key.`);
  const assertions = callerAssertions({ service: GATEWAY, privateKey, lifetimeSeconds: LIFETIME_SECONDS });
  const user = await userOf(token, run, address, assertions);
  const caller = { kind: 'user', service: GATEWAY, ...callerFields(user), scopes: [] } as const;
  return `${CALLER_ASSERTION}: ${await assertions.issue(caller)}`;
}

async function userOf(
  token: string,
  { issuer }: RunFile,
  address: string,
  assertions: CallerAssertions,
): Promise<ResolvedCaller> {
  const service = 'platform.identity.v1.AuthenticationService';
  const contract = loadServiceContract(identityContract, service);
  const identity = createClient<AuthenticationServiceClient<CallOptions> & Closable>({
    contract,
    service,
    address,
    assertions,
  });
  // It is ours, and came from where our secret was believed: nobody else's word is taken.
  const { sub = '', email, name, org_id: organisationId, iat = 0 } = decodeJwt(token);
  const text = (claim: unknown): string => (typeof claim === 'string' ? claim : '');
  try {
    return await identity.resolveUser({
      issuer,
      subject: sub,
      email: text(email),
      emailVerified: true,
      name: text(name),
      organisationId: '',
      claimedOrganisationId: text(organisationId),
      sessionId: '',
      issuedAt: new Date(iat * 1_000),
    });
  } finally {
    identity.close();
  }
}
