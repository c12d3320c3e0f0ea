import { columns, nullable, readOnlyColumn, type Knex } from '@platform-backend/postgres';
import { normalEmail } from '../domain/email-address.ts';
import type { Member, MemberUser } from '../domain/member.ts';

/** The person behind a membership, from the table `users`. */
const userColumns = columns<MemberUser>({
  id: 'user_id',
  name: readOnlyColumn('user_name'),
  email: readOnlyColumn('user_email'),
});

export const memberColumns = columns<Member>({
  id: 'id',
  user: nullable(userColumns),
  email: 'email',
  level: 'level',
  status: 'status',
  createdAt: 'created_at',
  invitedBy: 'invited_by',
  invitationExpiresAt: 'invitation_expires_at',
});

/** The sort columns of members, oldest first, in a query that has those of other tables as well. */
export const memberAge = { createdAt: 'members.created_at', id: 'members.id' };

/** Members together with the people behind them. */
export const membersWithUsers = (trx: Knex.Transaction) =>
  trx('members')
    .leftJoin('users', 'users.id', 'members.user_id')
    .select<object[]>('members.*', { user_name: 'users.name', user_email: 'users.email' });

/** Writes members as they are now, new ones and changed ones alike. */
export async function saveMembers(trx: Knex.Transaction, organisationId: string, members: readonly Member[]) {
  if (members.length === 0) return;
  const rows = members.map((member) => ({
    ...memberColumns.write(member),
    organisation_id: organisationId,
    normal_email: normalEmail(member.email),
  }));
  await trx('members').insert(rows).onConflict('id').merge();
}
