import type { AccessRule } from '@platform/auth';
import { accessRefusal } from '@platform/grpc';
import type { ResolvedCaller } from '../authentication/caller-cache.ts';
import type { ResolveCaller } from '../authentication/resolve-caller.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { AddressLimit } from '../open-operations/address-limit.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';

export interface AuthenticateParts {
  readonly resolveCaller: ResolveCaller;
  /** Holds whoever calls an opened operation without a credential. */
  readonly limitAddress: AddressLimit;
}

/**
 * Finds out who is calling and whether the operation is open to that caller (D11 to D15), before a
 * byte of the body is read. A path that leads nowhere needs no credential: the answer would be the
 * same with one.
 */
export const authenticatePolicy = ({ resolveCaller, limitAddress }: AuthenticateParts): PolicyDefinition => ({
  name: 'authenticate',
  settings: { type: 'object' },
  create: () => {
    const admit = (
      exchange: Exchange,
      access: AccessRule,
      resolved: ResolvedCaller,
      next: Next,
    ): void | Promise<void> => {
      const { caller, assertion } = resolved;
      exchange.caller = caller;
      const refusal = accessRefusal(caller, access);
      if (refusal) throw refusal;
      exchange.assertion = assertion;
      // Part of this policy and none of its own, so that no configuration can open an operation and forget the limit.
      if (caller.kind === 'anonymous' && access.openable) return limitAddress(exchange).then(() => next(exchange));
      next(exchange);
    };

    return (exchange, next) => {
      const { route } = exchange.target;
      if (!route) {
        next(exchange);
        return;
      }
      const { access } = route.operation;
      const resolved = resolveCaller(exchange.request.headers, access.credentials);
      if (resolved instanceof Promise) return resolved.then((caller) => admit(exchange, access, caller, next));
      return admit(exchange, access, resolved, next);
    };
  },
});
