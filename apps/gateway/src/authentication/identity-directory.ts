import { clocksDiffer } from '@platform-backend/auth';
import { loadServiceContract } from '@platform-backend/contract';
import { identityContract, type AuthenticationServiceClient } from '@platform-backend/contract-identity';
import { DomainError, unavailable } from '@platform-backend/core';
import { createClient, type CallOptions, type ClientOptions, type Closable } from '@platform-backend/grpc';

/** Tells who a verified credential is. */
export interface IdentityDirectory extends AuthenticationServiceClient<CallOptions>, Closable {
  /** False when its clock and ours differ so much that it believes nothing which we sign. */
  believesUs(timeoutMs: number): Promise<boolean>;
}

/** Of no key. */
const NO_KEY = Buffer.alloc(32);

export interface IdentityDirectoryOptions extends Omit<ClientOptions, 'address' | 'contract' | 'service'> {
  /** Undefined where identity is not configured; then nobody can be looked up. */
  readonly address: string | undefined;
}

/** Asks the identity service, in the gateway's own name. */
export function identityDirectory({ address, ...options }: IdentityDirectoryOptions): IdentityDirectory {
  if (address === undefined) {
    const refuse = (): Promise<never> => Promise.reject(unavailable(new Error('IDENTITY_ADDRESS is not set')));
    return {
      resolveUser: refuse,
      resolveApiKey: refuse,
      endSessions: refuse,
      believesUs: () => Promise.resolve(true),
      close: () => undefined,
    };
  }
  const service = 'platform.identity.v1.AuthenticationService';
  const contract = loadServiceContract(identityContract, service);
  const client = createClient<AuthenticationServiceClient<CallOptions> & Closable>({
    ...options,
    address,
    contract,
    service,
  });
  return {
    resolveUser: (...call) => client.resolveUser(...call),
    resolveApiKey: (...call) => client.resolveApiKey(...call),
    endSessions: (...call) => client.endSessions(...call),
    believesUs: (timeoutMs) =>
      client.resolveApiKey({ keyHash: NO_KEY }, { timeoutMs }).then(
        () => true,
        // Whatever else it refuses says nothing of clocks, and so does what never arrived.
        (error: unknown) => !(error instanceof DomainError && error.code === clocksDiffer.code),
      ),
    close: () => client.close(),
  };
}
