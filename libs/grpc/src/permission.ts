import { authorise, opened, scopeFor, type AccessRule, type Caller } from '@platform-backend/auth';
import { DomainError, forbidden, levelRequired, membershipSuspended, unauthenticated } from '@platform-backend/core';
import type { ServedOperation } from './contract.ts';
import {
  credentialNotAccepted,
  noOrganisation,
  organisationRequired,
  scopeRequired,
  serviceNotAllowed,
  tokenRequired,
} from './errors.ts';

/** The one service that stands between the outside and us. */
export const GATEWAY = 'gateway';

/** D13: a user who acts in no organisation, for want of one or for want of naming one, or who is suspended. */
export function organisationRefusal(caller: Caller): DomainError {
  if (caller.organisationRequired) return organisationRequired();
  return caller.membershipSuspended ? membershipSuspended() : noOrganisation();
}

/** What a caller is told who may not call an operation (D13, D14); undefined for one who may. */
export function accessRefusal(caller: Caller, access: AccessRule): DomainError | undefined {
  switch (authorise(caller, access)) {
    case 'allowed':
      return undefined;
    case 'unauthenticated':
      return unauthenticated();
    case 'no_organisation':
    case 'organisation_required':
    case 'membership_suspended':
      return organisationRefusal(caller);
    case 'level_required':
      return levelRequired({ level: access.level ?? 'VIEWER' });
    case 'scope_required':
      return scopeRequired({ scope: scopeFor(access) });
    case 'token_required':
      return tokenRequired();
    case 'credential_not_accepted':
      return credentialNotAccepted();
    case 'forbidden':
      return forbidden();
  }
}

/**
 * The same for an operation by its id, `platform.content.v1.DocumentService/GetDocument`: whoever does its work by way of another
 * one asks the contract for what it takes.
 */
export const operationRefusal = (
  caller: Caller,
  contract: { readonly operation: (id: string) => { readonly access: AccessRule } },
  id: string,
): DomainError | undefined => accessRefusal(caller, contract.operation(id).access);

/** The same, for what nobody gets by way of another operation who may not call this one. Throws the refusal. */
export function requireOperation(...asked: Parameters<typeof operationRefusal>): void {
  const refusal = operationRefusal(...asked);
  if (refusal) throw refusal;
}

/**
 * Decides twice: may this service call the operation at all, and may the caller it speaks for. The
 * refusal, or undefined when the call may go on.
 */
export function refusalOf(caller: Caller, operation: ServedOperation): DomainError | undefined {
  if (!mayCall(caller.service, operation)) {
    return serviceNotAllowed();
  }
  // Whether an operation is open here is the gateway's to say, which alone speaks for nobody.
  return accessRefusal(caller, opened(operation.access));
}

/** The gateway serves everything with an HTTP binding; any other service must be named by the operation. */
const mayCall = (service: string, { access, http }: ServedOperation): boolean =>
  access.services.includes(service) || (service === GATEWAY && http !== undefined);
