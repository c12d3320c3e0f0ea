import type { IdentityEvents } from '@platform-backend/contract-identity/events';
import { changedFields } from '@platform-backend/core';
import type { IdentityEvent, IdentityEventName } from '../../events.ts';
import { memberFields, type Member } from './member.ts';

/** A fact about a member who is or was part of the organisation. */
const memberEvent = <Name extends IdentityEventName>(
  name: Name,
  at: Date,
  before: Member | null,
  after: Member,
  data: IdentityEvents[Name],
): IdentityEvent<Name> => ({
  name,
  subject: after.id,
  at,
  data,
  change: before
    ? changedFields(memberFields(before), memberFields(after))
    : { before: null, after: memberFields(after) },
});

/** Who it is about; an invitation has no user yet. */
const whoever = ({ id, user }: Member) => ({ member_id: id, user_id: user?.id ?? null });

/** As `whoever`, of somebody who has accepted. */
function joined({ id, user }: Member) {
  if (!user) throw new Error(`member ${id} has accepted no invitation`);
  return { member_id: id, user_id: user.id };
}

export const memberInvited = (member: Member & { readonly invitationExpiresAt: Date }, at: Date) =>
  memberEvent('member.invited', at, null, member, {
    ...whoever(member),
    email: member.email,
    permission_level: member.level,
    expires_at: member.invitationExpiresAt.toISOString(),
  });

export const invitationWithdrawn = (before: Member, after: Member, at: Date) =>
  memberEvent('member.invitation_withdrawn', at, before, after, whoever(after));

export const invitationDeclined = (before: Member, after: Member, at: Date) =>
  memberEvent('member.invitation_declined', at, before, after, whoever(after));

/** `before` is the accepted invitation; null for the founder of an organisation. */
export const memberAdded = (before: Member | null, after: Member, at: Date) =>
  memberEvent('member.added', at, before, after, { ...joined(after), permission_level: after.level });

export const memberRemoved = (before: Member, after: Member, at: Date, reason: 'removed' | 'left') =>
  memberEvent('member.removed', at, before, after, { ...joined(after), reason });

export const memberLevelChanged = (before: Member, after: Member, at: Date) =>
  memberEvent('member.level_changed', at, before, after, {
    ...whoever(after),
    permission_level: after.level,
    previous_permission_level: before.level,
  });

export const memberSuspended = (before: Member, after: Member, at: Date) =>
  memberEvent('member.suspended', at, before, after, joined(after));

export const memberReactivated = (before: Member, after: Member, at: Date) =>
  memberEvent('member.reactivated', at, before, after, joined(after));
