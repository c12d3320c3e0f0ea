import { changesIn, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../audit/store/record-events.ts';
import { normalEmail } from '../domain/email-address.ts';
import { invitationNotFound, memberNotFound, organisationNotFound } from '../domain/errors.ts';
import type { Invitation, Members, RosterSelection } from '../domain/members.ts';
import type { Roster } from '../domain/roster.ts';
import { memberAge, memberColumns, membersWithUsers, saveMembers } from './member-rows.ts';

/** Members in PostgreSQL. */
export function membersStore(database: Database): Members {
  const changes = changesIn(database, recordEvents);

  return {
    update: (by, selection, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadRoster(trx, by.organisationId, selection),
        save: (trx, { members }, before) => {
          const changed = members.filter((member) => !before.members.includes(member));
          return saveMembers(trx, by.organisationId, changed);
        },
      }),

    get: (organisationId, memberId) =>
      database.tenant(organisationId, async (trx) => {
        const [row] = await membersWithUsers(trx)
          .where({ 'members.organisation_id': organisationId, 'members.id': memberId })
          .whereNot('members.status', 'removed');
        if (!row) throw memberNotFound();
        return memberColumns.read(row);
      }),

    list: (organisationId, statuses, page) =>
      database.tenant(organisationId, (trx) => {
        const members = membersWithUsers(trx)
          .where('members.organisation_id', organisationId)
          .whereIn('members.status', [...statuses]);
        return listPage(members, page, {
          order: 'asc',
          columns: memberAge,
          read: (rows) => rows.map(memberColumns.read),
        });
      }),

    activeOf: (organisationId, userIds) =>
      database.tenant(organisationId, async (trx) => {
        const rows = await membersWithUsers(trx)
          .where({ 'members.organisation_id': organisationId, 'members.status': 'active' })
          .whereIn('members.user_id', [...userIds]);
        return rows.map(memberColumns.read);
      }),

    organisationOfInvitation: (invitationId, email) =>
      database.system({ 'app.invited_email': normalEmail(email) }, async (trx) => {
        const row = await trx<{ id: string; status: string; organisation_id: string }>('members')
          .where({ id: invitationId, status: 'invited' })
          .first('organisation_id');
        if (!row) throw invitationNotFound();
        return row.organisation_id;
      }),

    listInvitations: (email, at, page) =>
      database.system({ 'app.invited_email': normalEmail(email) }, (trx) =>
        listPage(openInvitations(trx, normalEmail(email), at), page, {
          order: 'desc',
          columns: memberAge,
          read: (rows) => rows.map(invitationOfRow),
        }),
      ),
  };
}

/**
 * Everything that changes who belongs to an organisation passes here one at a time, so that counts stay true until
 * the transaction ends. NO KEY: rows that merely refer to the organisation may be written meanwhile.
 */
async function lockOrganisation(trx: Knex.Transaction, organisationId: string): Promise<number> {
  const organisation = await trx<{ id: string; max_member_limit: number }>('organisations')
    .where({ id: organisationId })
    .forNoKeyUpdate()
    .first('max_member_limit');
  if (!organisation) throw organisationNotFound();
  return organisation.max_member_limit;
}

async function loadRoster(
  trx: Knex.Transaction,
  organisationId: string,
  { memberIds = [], userId = null, email, at }: RosterSelection,
): Promise<Roster> {
  const seatLimit = await lockOrganisation(trx, organisationId);
  const { rows } = await trx.raw<{ rows: { active: string; owners: string; invited: string }[] }>(
    `SELECT count(*) FILTER (WHERE status = 'active') AS active,
            count(*) FILTER (WHERE status = 'active' AND level = 'OWNER') AS owners,
            count(*) FILTER (WHERE status = 'invited' AND invitation_expires_at > ?) AS invited
     FROM members WHERE organisation_id = ? AND status IN ('active', 'invited')`,
    [at, organisationId],
  );
  const members = await membersWithUsers(trx)
    .where('members.organisation_id', organisationId)
    .whereNot('members.status', 'removed')
    .where((selected) => {
      void selected.whereIn('members.id', [...memberIds]);
      if (userId !== null) void selected.orWhere('members.user_id', userId);
      if (email !== undefined) {
        void selected
          .orWhere('members.normal_email', normalEmail(email))
          .orWhereRaw('coalesce(users.normal_email, lower(users.email COLLATE "C")) = ?', [normalEmail(email)]);
      }
    });
  return {
    seatLimit,
    activeMembers: Number(rows[0]?.active),
    openInvitations: Number(rows[0]?.invited),
    activeOwners: Number(rows[0]?.owners),
    members: members.map(memberColumns.read),
  };
}

interface InvitationRow {
  id: string;
  created_at: Date;
  organisation_id: string;
  organisation_name: string;
}

const openInvitations = (trx: Knex.Transaction, email: string, at: Date) =>
  trx('members')
    .join('organisations', 'organisations.id', 'members.organisation_id')
    .where({ 'members.normal_email': email, 'members.status': 'invited' })
    .where('members.invitation_expires_at', '>', at)
    .select('members.*', { organisation_name: 'organisations.name' }) as Knex.QueryBuilder<object, InvitationRow[]>;

const invitationOfRow = (row: InvitationRow): Invitation => ({
  id: row.id,
  organisationId: row.organisation_id,
  organisationName: row.organisation_name,
  member: memberColumns.read({ ...row, user_id: null, user_name: null, user_email: null }),
});
