import type { Knex } from '@platform/postgres';
import { normalEmail } from '../domain/email-address.ts';
import type { Member, MemberStatus } from '../domain/members/member.ts';
import type { PermissionLevel } from '../domain/members/permission-level.ts';

export interface MemberRow {
  id: string;
  organisation_id: string;
  user_id: string | null;
  user_name: string | null;
  user_email: string | null;
  email: string;
  level: PermissionLevel;
  status: MemberStatus;
  invited_by: string;
  invitation_expires_at: Date | null;
  created_at: Date;
}

/** The sort columns of members, oldest first, in a query that has those of other tables as well. */
export const memberAge = { createdAt: 'members.created_at', id: 'members.id' };

/** Members together with the people behind them. */
export const membersWithUsers = (trx: Knex.Transaction): Knex.QueryBuilder<object, MemberRow[]> =>
  trx('members')
    .leftJoin('users', 'users.id', 'members.user_id')
    .select('members.*', { user_name: 'users.name', user_email: 'users.email' }) as Knex.QueryBuilder<
    object,
    MemberRow[]
  >;

export const memberOfRow = (row: MemberRow): Member => ({
  id: row.id,
  user: row.user_id === null ? null : { id: row.user_id, name: row.user_name ?? '', email: row.user_email ?? '' },
  email: row.email,
  level: row.level,
  status: row.status,
  createdAt: row.created_at,
  invitedBy: row.invited_by,
  invitationExpiresAt: row.invitation_expires_at,
});

/** Writes members as they are now, new ones and changed ones alike. */
export async function saveMembers(trx: Knex.Transaction, organisationId: string, members: readonly Member[]) {
  if (members.length === 0) return;
  const rows = members.map((member) => ({
    id: member.id,
    organisation_id: organisationId,
    user_id: member.user?.id ?? null,
    email: member.email,
    normal_email: normalEmail(member.email),
    level: member.level,
    status: member.status,
    invited_by: member.invitedBy,
    invitation_expires_at: member.invitationExpiresAt,
    created_at: member.createdAt,
  }));
  await trx('members').insert(rows).onConflict('id').merge();
}
