import type { AccessRule } from '@platform/auth';
import { accessRefusal } from '@platform/grpc';
import type { ResolvedCaller } from '../authentication/caller-cache.ts';
import type { ResolveCaller } from '../authentication/resolve-caller.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';

/**
 * Finds out who is calling and whether the operation is open to that caller (D11 to D14), before a
 * byte of the body is read. A path that leads nowhere needs no credential: the answer would be the
 * same with one.
 */
export const authenticatePolicy = (resolveCaller: ResolveCaller): PolicyDefinition => ({
  name: 'authenticate',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const { route } = exchange.target;
    if (!route) {
      next(exchange);
      return;
    }
    const { access } = route.operation;
    const resolved = resolveCaller(exchange.request.headers, access.credentials);
    if (resolved instanceof Promise) return resolved.then((caller) => admit(exchange, access, caller, next));
    admit(exchange, access, resolved, next);
  },
});

function admit(exchange: Exchange, access: AccessRule, { caller, assertion }: ResolvedCaller, next: Next): void {
  exchange.caller = caller;
  const refusal = accessRefusal(caller, access);
  if (refusal) throw refusal;
  exchange.assertion = assertion;
  next(exchange);
}
