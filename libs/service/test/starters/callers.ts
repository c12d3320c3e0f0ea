import { callerAssertions, type Caller, type ServiceKeys } from '@platform-backend/auth';
import { loadContract, type DomainContract } from '@platform-backend/contract';
import { DomainError, newId, newUlid, systemClock, type Clock, type PermissionLevel } from '@platform-backend/core';
import { createClient, type Closable } from '@platform-backend/grpc';

/** Who calls a service: clients of its proto services, in the name of another service. */
export interface Callers extends Closable {
  /** A client of a proto service by its name (`MemberService`); `Client` is the generated `<Service>Client` type. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
  readonly to: <Client extends object>(protoService: string) => Client;
}

export interface CallersOptions {
  /** The contract of the service that is called, and where it is. */
  readonly of: DomainContract;
  readonly address: string;
  /** The service that calls. */
  readonly as: string;
  /** Its key among others. */
  readonly keys: ServiceKeys;
  readonly clock?: Clock;
}

export function callers({ of, address, as, keys, clock = systemClock }: CallersOptions): Callers {
  const privateKey = keys.privateKeys[as];
  if (!privateKey) throw new Error(`there is no key of ${as}`);
  const assertions = callerAssertions({ service: as, privateKey, clock });
  const opened: Closable[] = [];
  return {
    to: (protoService) => {
      const client = createClient<never>({
        contract: loadContract(of),
        service: `platform.${of.domain}.v1.${protoService}`,
        address,
        assertions,
        // A busy machine is no reason to refuse anything.
        timeoutMs: 120_000,
        connectLimitMs: 60_000,
      });
      opened.push(client);
      return client;
    },
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

export const newOrganisation = (): string => newUlid('org_');

/** The options of a call by a member of an organisation. */
export const member = (organisationId: string, level: PermissionLevel = 'OWNER'): { caller: Caller } => ({
  caller: {
    kind: 'user',
    service: 'gateway',
    organisationId,
    userId: newId(),
    userName: 'Ada',
    userEmail: 'ada@people.example',
    emailVerified: true,
    level,
    scopes: [],
  },
});

/** The options of a call by a service on its own authority. */
export const service = (name: string, organisationId: string): { caller: Caller } => ({
  caller: { kind: 'service', service: name, organisationId, scopes: [] },
});

/** How a call was refused, in everything a caller can see of it; fails when it was not. */
export async function refusalOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, code, message, violations } = error;
    return { kind, code, message, ...(violations && { violations }) };
  }
  throw new Error('it was not refused');
}

/** As `refusalOf`, of calls that are under way: one that is refused while another is waited for has nobody else to hear of it. */
export const refusalsOf = (calls: readonly Promise<unknown>[]) => Promise.all(calls.map(refusalOf));
