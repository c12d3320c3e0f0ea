import { authorise, type Caller, type CallerAssertions, type Verdict } from '@platform/auth';
import { forbidden, unauthenticated, type DomainError } from '@platform/core';
import type { ResolveCaller } from '../authentication/resolve-caller.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';

export interface AuthenticateParts {
  readonly resolveCaller: ResolveCaller;
  readonly assertions: CallerAssertions;
}

/**
 * Finds out who is calling and whether the operation is open to that caller (D11 to D14), before a
 * byte of the body is read. A path that leads nowhere needs no credential: the answer would be the
 * same with one.
 */
export const authenticatePolicy = ({ resolveCaller, assertions }: AuthenticateParts): PolicyDefinition => ({
  name: 'authenticate',
  settings: { type: 'object' },
  create: () => (exchange, next) => {
    const { route } = exchange.target;
    if (!route) {
      next(exchange);
      return;
    }
    const caller = resolveCaller(exchange.request.headers, route.operation.access.credentials);
    if (caller instanceof Promise) return caller.then((resolved) => admit(exchange, resolved, assertions, next));
    return admit(exchange, caller, assertions, next);
  },
});

function admit(exchange: Exchange, caller: Caller, assertions: CallerAssertions, next: Next): void | Promise<void> {
  const { route } = exchange.target;
  exchange.caller = caller;
  if (route) {
    const verdict = authorise(caller, route.operation.access);
    if (verdict !== 'allowed') throw REFUSALS[verdict]();
  }
  const assertion = assertions.issue(caller);
  if (typeof assertion !== 'string') {
    return assertion.then((issued) => {
      exchange.assertion = issued;
      next(exchange);
    });
  }
  exchange.assertion = assertion;
  next(exchange);
}

const REFUSALS: Readonly<Record<Exclude<Verdict, 'allowed'>, () => DomainError>> = {
  unauthenticated: () => unauthenticated(),
  no_organisation: () => forbidden('no_organisation', 'No organisation'),
  forbidden: () => forbidden(),
};
