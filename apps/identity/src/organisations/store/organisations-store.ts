import type { PermissionLevel } from '@platform-backend/core';
import {
  bigintColumn,
  changesIn,
  columns,
  countOf,
  listPage,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { recordEvents } from '../../audit/store/record-events.ts';
import { insertClientGroup } from '../../client-groups/store/client-groups-store.ts';
import { organisationNotFound } from '../../members/domain/errors.ts';
import type { MemberUser } from '../../members/domain/member.ts';
import { saveMembers } from '../../members/store/member-rows.ts';
import type { Organisation, Subscription } from '../domain/organisation.ts';
import type { OrganisationMember, Organisations, OrganisationWithMembers } from '../domain/organisations.ts';

const organisationColumns = columns<Organisation>({
  id: 'id',
  email: 'email',
  name: 'name',
  imageUrl: 'image_url',
  createdAt: 'created_at',
  subscription: columns<Subscription>({
    version: bigintColumn('subscription_version'),
    tier: 'subscription_tier',
    maxMemberLimit: 'max_member_limit',
    seatsRenewalEnabled: 'seats_renewal_enabled',
    seatsRenewalCycle: 'seats_renewal_cycle',
    seatsExpiredAt: 'seats_expired_at',
    creditChecksEnabled: 'credit_checks_enabled',
    hasPlan: 'has_plan',
  }),
});

/** A member as everybody in the organisation sees one. */
const shownMemberColumns = columns<OrganisationMember>({
  id: 'id',
  user: columns<MemberUser>({ id: 'user_id', name: 'user_name', email: 'user_email' }),
  level: 'level',
  status: 'status',
});

/** Organisations in PostgreSQL. */
export function organisationsStore(database: Database): Organisations {
  const changes = changesIn(database, recordEvents);

  return {
    add: (by, founded) =>
      changes.add(by, founded, async (trx, { organisation, owner, defaultGroup }) => {
        await trx('organisations').insert(organisationColumns.write(organisation));
        await saveMembers(trx, by.organisationId, [owner]);
        await insertClientGroup(trx, by.organisationId, defaultGroup);
      }),

    update: (by, decide) =>
      changes.update(by, decide, {
        // FOR UPDATE, as the row may be deleted: nothing that refers to it may be written meanwhile.
        load: (trx) => loadOrganisation(trx, by.organisationId, 'locked'),
        lookUp: (trx) => activeMembers(trx, by.organisationId),
        save: (trx, organisation) => {
          const stored = trx('organisations').where({ id: by.organisationId });
          return organisation === null ? stored.delete() : stored.update(organisationColumns.write(organisation));
        },
      }),

    get: (organisationId) => database.tenant(organisationId, (trx) => loadOrganisation(trx, organisationId)),

    getWithMembers: async (organisationId) =>
      readWithMembers(await database.statement(organisationId, getWithMembersStatement, [organisationId])),

    listOfUser: (userId, page) =>
      database.system({ 'app.user_id': userId }, (trx) =>
        listPage(organisationsOf(trx, userId), page, {
          order: 'desc',
          columns: { createdAt: 'organisations.created_at', id: 'organisations.id' },
          read: async (rows) => {
            const ids = rows.map(({ id }) => id);
            const counts = await memberCounts(trx, ids);
            return rows.map((row) => ({
              ...organisationColumns.read(row),
              level: row.level,
              memberCount: counts.get(row.id) ?? 0,
            }));
          },
        }),
      ),
  };
}

async function loadOrganisation(
  trx: Knex.Transaction,
  organisationId: string,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<Organisation> {
  const query = trx('organisations').where({ id: organisationId });
  const row = await (lock === 'locked' ? query.forUpdate() : query).first<object | undefined>();
  if (!row) throw organisationNotFound();
  return organisationColumns.read(row);
}

interface OrganisationOfUserRow {
  id: string;
  created_at: Date;
  /** The user's own. */
  level: PermissionLevel;
}

const organisationsOf = (trx: Knex.Transaction, userId: string) =>
  trx('organisations')
    .join('members', 'members.organisation_id', 'organisations.id')
    .where({ 'members.user_id': userId, 'members.status': 'active' })
    .select('organisations.*', 'members.level') as Knex.QueryBuilder<object, OrganisationOfUserRow[]>;

const activeMembers = (trx: Knex.Transaction, organisationId: string): Promise<number> =>
  countOf(trx('members').where({ organisation_id: organisationId, status: 'active' }));

/** Of all organisations of a page in one query; only they are opened to it. */
async function memberCounts(trx: Knex.Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await trx.raw(`SELECT set_config('app.organisation_ids', ?, true)`, [ids.join(',')]);
  const rows = (await trx('members')
    .whereIn('organisation_id', ids)
    .whereIn('status', shownStatuses)
    .groupBy('organisation_id')
    .select('organisation_id')
    .count({ members: '*' })) as unknown as { organisation_id: string; members: string }[];
  return new Map(rows.map(({ organisation_id: id, members }) => [id, Number(members)]));
}

const shownStatuses = ['active', 'suspended'];

/** An organisation with the members that it shows, as they were at one moment. */
const getWithMembersStatement = {
  name: 'get-organisation-with-members',
  text: `SELECT ${organisationColumns.names.join(', ')}, (
           SELECT coalesce(json_agg(shown), '[]') FROM (
             SELECT m.id, m.level, m.status, u.id AS user_id, u.name AS user_name, u.email AS user_email
             FROM members m JOIN users u ON u.id = m.user_id
             WHERE m.organisation_id = o.id AND m.status IN (${shownStatuses.map((status) => `'${status}'`).join(', ')})
             ORDER BY m.created_at, m.id
           ) AS shown) AS members
         FROM organisations o WHERE o.id = $1`,
};

function readWithMembers([row]: readonly { readonly members: readonly object[] }[]): OrganisationWithMembers {
  if (!row) throw organisationNotFound();
  return { ...organisationColumns.read(row), members: row.members.map(shownMemberColumns.read) };
}
