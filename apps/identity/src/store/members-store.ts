import { notFound } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import { normalEmail } from '../domain/email-address.ts';
import type { Decision } from '../domain/identity-event.ts';
import type { Invitation, Members, RosterSelection } from '../domain/members/members.ts';
import type { Roster } from '../domain/members/roster.ts';
import { listPage } from '@platform/postgres';
import { memberAge, memberOfRow, membersWithUsers, saveMembers, type MemberRow } from './member-rows.ts';
import { recordEvents } from './record-events.ts';

/** Members in PostgreSQL. */
export const membersStore = (database: Database): Members => ({
  update: <Result>(by: Acting, selection: RosterSelection, decide: (roster: Roster) => Decision<Roster, Result>) =>
    database.tenant(by.organisationId, async (trx) => {
      const seatLimit = await lockOrganisation(trx, by.organisationId);
      const roster = await loadRoster(trx, by.organisationId, seatLimit, selection);
      const { state, events, result } = decide(roster);
      const changed = state.members.filter((member) => !roster.members.includes(member));
      await saveMembers(trx, by.organisationId, changed);
      await recordEvents(trx, by, events);
      return result;
    }),

  get: (organisationId, memberId) =>
    database.tenant(organisationId, async (trx) => {
      const [row] = await membersWithUsers(trx)
        .where({ 'members.organisation_id': organisationId, 'members.id': memberId })
        .whereNot('members.status', 'removed');
      if (!row) throw notFound('Member');
      return memberOfRow(row);
    }),

  list: (organisationId, statuses, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(
        membersWithUsers(trx)
          .where('members.organisation_id', organisationId)
          .whereIn('members.status', [...statuses]),
        page,
        { order: 'asc', columns: memberAge, read: (rows) => rows.map(memberOfRow) },
      ),
    ),

  organisationOfInvitation: (invitationId, email) =>
    database.system({ 'app.invited_email': normalEmail(email) }, async (trx) => {
      const row = await trx<MemberRow>('members')
        .where({ id: invitationId, status: 'invited' })
        .first('organisation_id');
      if (!row) throw notFound('Invitation');
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
});

/**
 * Everything that changes who belongs to an organisation passes here one at a time, so that counts stay true until
 * the transaction ends. NO KEY: rows that merely refer to the organisation may be written meanwhile.
 */
async function lockOrganisation(trx: Knex.Transaction, organisationId: string): Promise<number> {
  const organisation = await trx<{ id: string; max_member_limit: number }>('organisations')
    .where({ id: organisationId })
    .forNoKeyUpdate()
    .first('max_member_limit');
  if (!organisation) throw notFound('Organisation');
  return organisation.max_member_limit;
}

async function loadRoster(
  trx: Knex.Transaction,
  organisationId: string,
  seatLimit: number,
  { memberIds = [], userId = null, email }: RosterSelection,
): Promise<Roster> {
  const { rows } = await trx.raw<{ rows: { active: string; owners: string }[] }>(
    `SELECT count(*) AS active, count(*) FILTER (WHERE level = 'OWNER') AS owners
     FROM members WHERE organisation_id = ? AND status = 'active'`,
    [organisationId],
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
    activeOwners: Number(rows[0]?.owners),
    members: members.map(memberOfRow),
  };
}

interface InvitationRow extends MemberRow {
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
  member: memberOfRow({ ...row, user_id: null }),
});
