import type { DomainError } from '@platform-backend/core';
import type { GrpcContract } from './contract.ts';
import { methodName } from './create-client.ts';

/** A client like that of `createClient`, of a service that is not there: every call is refused at once. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
export function refusingClient<T extends object>(
  contract: GrpcContract,
  service: string,
  refusal: () => DomainError,
): T {
  const refused = (): Promise<never> => Promise.reject(refusal());
  const stream = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: refused }) });
  const calls = Object.entries(contract.serviceDefinition(service)).map(
    ([method, { responseStream }]) => [methodName(method), responseStream ? stream : refused] as const,
  );
  return Object.fromEntries(calls) as T;
}
