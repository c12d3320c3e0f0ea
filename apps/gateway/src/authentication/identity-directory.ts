import { loadServiceContract } from '@platform-backend/contract';
import { identityContract, type AuthenticationServiceClient } from '@platform-backend/contract-identity';
import { unavailable } from '@platform-backend/core';
import { createClient, type CallOptions, type ClientOptions, type Closable } from '@platform-backend/grpc';

/** Tells who a verified credential is. */
export type IdentityDirectory = AuthenticationServiceClient<CallOptions> & Closable;

export interface IdentityDirectoryOptions extends Omit<ClientOptions, 'address' | 'contract' | 'service'> {
  /** Undefined where identity is not configured; then nobody can be looked up. */
  readonly address: string | undefined;
}

/** Asks the identity service, in the gateway's own name. */
export function identityDirectory({ address, ...options }: IdentityDirectoryOptions): IdentityDirectory {
  if (address === undefined) {
    const refuse = (): Promise<never> => Promise.reject(unavailable(new Error('IDENTITY_ADDRESS is not set')));
    return { resolveUser: refuse, resolveApiKey: refuse, close: () => undefined };
  }
  const service = 'platform.identity.v1.AuthenticationService';
  const contract = loadServiceContract(identityContract, service);
  return createClient<IdentityDirectory>({ ...options, address, contract, service });
}
