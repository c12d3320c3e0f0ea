import { changedFields, type IdentityEvent, type IdentityEventName } from '../identity-event.ts';
import { memberFields, type Member } from './member.ts';

/** A fact about a member who is or was part of the organisation. */
const memberEvent = (
  name: IdentityEventName,
  at: Date,
  before: Member | null,
  after: Member,
  more: Readonly<Record<string, unknown>> = {},
): IdentityEvent => ({
  name,
  targetId: after.id,
  at,
  data: { member_id: after.id, user_id: after.user?.id ?? null, ...more },
  change: before
    ? changedFields(memberFields(before), memberFields(after))
    : { before: null, after: memberFields(after) },
});

export const memberInvited = (member: Member, at: Date) =>
  memberEvent('member.invited', at, null, member, {
    email: member.email,
    permission_level: member.level,
    expires_at: member.invitationExpiresAt?.toISOString() ?? null,
  });

export const invitationWithdrawn = (before: Member, after: Member, at: Date) =>
  memberEvent('member.invitation_withdrawn', at, before, after);

export const invitationDeclined = (before: Member, after: Member, at: Date) =>
  memberEvent('member.invitation_declined', at, before, after);

/** `before` is the accepted invitation; null for the founder of an organisation. */
export const memberAdded = (before: Member | null, after: Member, at: Date) =>
  memberEvent('member.added', at, before, after, { permission_level: after.level });

export const memberRemoved = (before: Member, after: Member, at: Date, reason: 'removed' | 'left') =>
  memberEvent('member.removed', at, before, after, { reason });

export const memberLevelChanged = (before: Member, after: Member, at: Date) =>
  memberEvent('member.level_changed', at, before, after, {
    permission_level: after.level,
    previous_permission_level: before.level,
  });

export const memberSuspended = (before: Member, after: Member, at: Date) =>
  memberEvent('member.suspended', at, before, after);

export const memberReactivated = (before: Member, after: Member, at: Date) =>
  memberEvent('member.reactivated', at, before, after);
