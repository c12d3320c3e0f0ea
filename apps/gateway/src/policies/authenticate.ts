import type { Operation } from '@platform-backend/contract';
import { notAMember } from '@platform-backend/core';
import { accessRefusal } from '@platform-backend/grpc';
import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedCaller } from '../authentication/caller-cache.ts';
import type { CallerLimit } from '../authentication/caller-limit.ts';
import { headersWithCredential } from '../authentication/credentials.ts';
import type { DelayRefusal } from '../authentication/delayed-refusals.ts';
import type { ResolveCaller } from '../authentication/resolve-caller.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { AddressLimit } from '../open-operations/address-limit.ts';
import type { Next, PolicyDefinition } from '../pipeline/policy.ts';

export interface AuthenticatePorts {
  readonly resolveCaller: ResolveCaller;
  /** Holds whoever comes too often with a credential, also with what it may not do. */
  readonly limitCaller: CallerLimit;
  /** Holds whoever calls an opened operation without a credential. */
  readonly limitAddress: AddressLimit;
  /** Rejects with the refusal of whoever comes too often, not at once. */
  readonly delayRefusal: DelayRefusal;
}

/**
 * Whether the caller of a request that goes on may still call its operation, in the organisation in which it began; throws, or rejects,
 * when not.
 */
export const reauthorise =
  (resolveCaller: ResolveCaller) =>
  (exchange: Exchange): void | Promise<void> => {
    const { route } = exchange.target;
    if (!route || exchange.caller?.kind === 'anonymous') return;
    const { access } = route.operation;
    const admit = ({ caller }: ResolvedCaller): void => {
      const refusal = accessRefusal(caller, access);
      if (refusal) throw refusal;
      // By the same token whoever was removed from one organisation acts in the only other one.
      if (caller.organisationId !== exchange.caller?.organisationId) throw notAMember();
    };
    const resolved = resolveCaller(credentialsIn(exchange), access.credentials, exchange.requestId);
    if (resolved instanceof Promise) return resolved.then(admit);
    admit(resolved);
  };

const credentialsIn = ({ request: { headers }, target: { route, rawQuery } }: Exchange): IncomingHttpHeaders =>
  route?.http.dialect.tokenCredential ? headersWithCredential(headers, rawQuery) : headers;

/**
 * Finds out who is calling and whether the operation is open to that caller (D11 to D15), before a
 * byte of the body is read. A path that leads nowhere needs no credential: the answer would be the
 * same with one.
 */
export const authenticatePolicy = ({
  resolveCaller,
  limitCaller,
  limitAddress,
  delayRefusal,
}: AuthenticatePorts): PolicyDefinition => ({
  name: 'authenticate',
  settings: { type: 'object' },
  create: () => {
    const admit = (
      exchange: Exchange,
      { access, cost }: Pick<Operation, 'access' | 'cost'>,
      resolved: ResolvedCaller,
      next: Next,
    ): void | Promise<void> => {
      const { caller, assertion } = resolved;
      exchange.caller = caller;
      const tooMany = limitCaller.admit(exchange, caller, cost);
      if (tooMany) return delayRefusal(exchange, tooMany);
      const refusal = accessRefusal(caller, access);
      if (refusal) throw refusal;
      exchange.assertion = assertion;
      // Part of this policy and none of its own, so that no configuration can open an operation and forget the limit.
      if (caller.kind === 'anonymous' && access.openable)
        return limitAddress.admit(exchange).then(() => next(exchange));
      next(exchange);
    };

    return (exchange, next) => {
      const { route } = exchange.target;
      if (!route) {
        next(exchange);
        return;
      }
      const { operation } = route;
      const resolved = resolveCaller(credentialsIn(exchange), operation.access.credentials, exchange.requestId);
      if (resolved instanceof Promise) return resolved.then((caller) => admit(exchange, operation, caller, next));
      return admit(exchange, operation, resolved, next);
    };
  },
});
