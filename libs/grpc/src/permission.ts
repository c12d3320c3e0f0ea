import { authorise, opened, type Caller } from '@platform/auth';
import { DomainError, forbidden, unauthenticated } from '@platform/core';
import type { ServedOperation } from './contract.ts';

/** The one service that stands between the outside and us. */
export const GATEWAY = 'gateway';

/** D13: a user without any organisation. */
export const noOrganisation = (): DomainError => forbidden('no_organisation', 'No organisation');

/**
 * Decides twice: may this service call the operation at all, and may the caller it speaks for. The
 * refusal, or undefined when the call may go on.
 */
export function refusalOf(caller: Caller, operation: ServedOperation): DomainError | undefined {
  if (!mayCall(caller.service, operation)) {
    return forbidden('service_not_allowed');
  }
  // Whether an operation is open here is the gateway's to say, which alone speaks for nobody.
  switch (authorise(caller, opened(operation.access))) {
    case 'allowed':
      return undefined;
    case 'unauthenticated':
      return unauthenticated();
    case 'no_organisation':
      return noOrganisation();
    case 'forbidden':
      return forbidden();
  }
}

/** The gateway serves everything with an HTTP binding; any other service must be named by the operation. */
const mayCall = (service: string, { access, http }: ServedOperation): boolean =>
  access.services.includes(service) || (service === GATEWAY && http !== undefined);
