import type { Fields, PermissionLevel } from '@platform-backend/core';

/** A member's life (D1): invited → active ⇄ suspended → removed; a removed member never comes back, the person is invited anew. */
export type MemberStatus = 'invited' | 'active' | 'suspended' | 'removed';

/** The person behind a membership. */
export interface MemberUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** One person's place in one organisation; an open invitation is a member without a user. */
export interface Member {
  readonly id: string;
  /** Null until the invited person has accepted. */
  readonly user: MemberUser | null;
  /** The address the invitation went to; for the founder the founder's own. */
  readonly email: string;
  readonly level: PermissionLevel;
  readonly status: MemberStatus;
  readonly createdAt: Date;
  /** How the invitation names who sent it. */
  readonly invitedBy: string;
  /** Null unless invited. */
  readonly invitationExpiresAt: Date | null;
}

/** A member as the audit log shows it. */
export const memberFields = (member: Member): Fields => ({
  email: member.user?.email ?? member.email,
  permission_level: member.level,
  status: member.status,
});
