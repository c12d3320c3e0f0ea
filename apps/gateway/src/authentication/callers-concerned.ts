import { identityEvents } from '@platform-backend/contract-identity';
import { isOf, type DeliveredEvent } from '@platform-backend/events';

/** Whose rights are others than before; a key goes with the person it acts for. */
export type CallersConcerned =
  | { readonly organisationId: string }
  | { readonly userId: string }
  | { readonly apiKeyId: string }
  | undefined;

/** Told of founders as well. */
const memberAdded = identityEvents('member.added');
const memberRemoved = identityEvents('member.removed');
const memberSuspended = identityEvents('member.suspended');
const memberReactivated = identityEvents('member.reactivated');
const levelChanged = identityEvents('member.level_changed');
const keyUpdated = identityEvents('api_key.updated');
const keyRotated = identityEvents('api_key.rotated');
const keyRevoked = identityEvents('api_key.revoked');
const keyCreated = identityEvents('api_key.created');
const invited = identityEvents('member.invited');
const invitationWithdrawn = identityEvents('member.invitation_withdrawn');
const invitationDeclined = identityEvents('member.invitation_declined');

/** Nobody else has to be asked for again. Of an event that is not known here it is everybody of its organisation. */
export function callersConcerned(event: DeliveredEvent): CallersConcerned {
  if (isOf(event, keyUpdated) || isOf(event, keyRotated) || isOf(event, keyRevoked))
    return { apiKeyId: event.data.api_key_id };
  if (isOf(event, memberAdded) || isOf(event, memberRemoved)) return { userId: event.data.user_id };
  if (isOf(event, memberSuspended) || isOf(event, memberReactivated)) return { userId: event.data.user_id };
  // That of an invitation is nobody's level yet.
  if (isOf(event, levelChanged)) return event.data.user_id === null ? undefined : { userId: event.data.user_id };
  const isOfNobody =
    isOf(event, keyCreated) ||
    isOf(event, invited) ||
    isOf(event, invitationWithdrawn) ||
    isOf(event, invitationDeclined);
  return isOfNobody ? undefined : { organisationId: event.organisationId };
}
