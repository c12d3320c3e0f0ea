import { opened } from '@platform-backend/auth';
import type { Operation } from '@platform-backend/contract';
import { ConfigurationError } from '@platform-backend/core';

/**
 * The operations with those opened to callers without a credential that a deployment names, as in
 * `billing.PaymentMethodService/CreateSetupIntent`.
 *
 * @throws ConfigurationError for every name of an operation that does not exist or that must not be opened.
 */
export function openOperations(operations: readonly Operation[], names: readonly string[]): readonly Operation[] {
  const openable = operations.filter(({ access }) => access.openable).map(nameOf);
  const problems = names
    .filter((name) => !openable.includes(name))
    .map((name) => {
      const why = operations.some((operation) => nameOf(operation) === name)
        ? 'which must not be opened'
        : 'which is no operation';
      return `GATEWAY_OPEN_OPERATIONS names ${name}, ${why}; what may be opened is ${openable.join(', ') || 'nothing'}.`;
    });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return operations.map((operation) =>
    names.includes(nameOf(operation)) ? { ...operation, access: opened(operation.access) } : operation,
  );
}

/** `platform.billing.v1.PaymentMethodService/CreateSetupIntent` → `billing.PaymentMethodService/CreateSetupIntent`. */
const nameOf = ({ domain, service, method }: Operation): string =>
  `${domain}.${service.slice(service.lastIndexOf('.') + 1)}/${method}`;
