import { notFound } from '@platform/core';
import { allPagesOf, listPage, type Database, type Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import type { Decision } from '../domain/identity-event.ts';
import type { Organisation } from '../domain/organisations/organisation.ts';
import type { OrganisationMember, Organisations } from '../domain/organisations/organisations.ts';
import type { PermissionLevel } from '../domain/members/permission-level.ts';
import { insertClientGroup } from './client-group-rows.ts';
import { memberAge, saveMembers } from './member-rows.ts';
import { organisationOfRow, rowOfOrganisation, type OrganisationRow } from './organisation-rows.ts';
import { recordEvents } from './record-events.ts';

/** Organisations in PostgreSQL. */
export const organisationsStore = (database: Database): Organisations => ({
  add: (by, { state, events }) =>
    database.tenant(by.organisationId, async (trx) => {
      await trx('organisations').insert(rowOfOrganisation(state.organisation));
      await saveMembers(trx, by.organisationId, [state.owner]);
      await insertClientGroup(trx, by.organisationId, state.defaultGroup);
      await recordEvents(trx, by, events);
    }),

  update: (by, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const organisation = await loadLocked(trx, by.organisationId);
      return save(trx, by, organisation, decide(organisation));
    }),

  updateKnowingMembers: (by, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const organisation = await loadLocked(trx, by.organisationId);
      return save(trx, by, organisation, decide(organisation, await activeMembers(trx, by.organisationId)));
    }),

  remove: <Result>(by: Acting, decide: (organisation: Organisation) => Decision<Organisation, Result>) =>
    database.tenant(by.organisationId, async (trx) => {
      const { events, result } = decide(await loadLocked(trx, by.organisationId));
      await trx('organisations').where({ id: by.organisationId }).delete();
      await recordEvents(trx, by, events);
      return result;
    }),

  get: (organisationId) =>
    database.tenant(organisationId, async (trx) => organisationOfRow(await loadRow(trx, organisationId))),

  getWithMembers: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const row = await loadRow(trx, organisationId);
      return { ...organisationOfRow(row), members: await loadMembers(trx, organisationId) };
    }),

  listOfUser: (userId, page) =>
    database.system({ 'app.user_id': userId }, (trx) =>
      listPage(organisationsOf(trx, userId), page, {
        order: 'desc',
        columns: { createdAt: 'organisations.created_at', id: 'organisations.id' },
        read: async (rows) => {
          const counts = await memberCounts(
            trx,
            rows.map(({ id }) => id),
          );
          return rows.map((row) => ({
            ...organisationOfRow(row),
            level: row.level,
            memberCount: counts.get(row.id) ?? 0,
          }));
        },
      }),
    ),
});

async function loadRow(trx: Knex.Transaction, organisationId: string): Promise<OrganisationRow> {
  const row = await trx<OrganisationRow>('organisations').where({ id: organisationId }).first();
  if (!row) throw notFound('Organisation');
  return row;
}

/** FOR UPDATE, as the row may be deleted: nothing that refers to it may be written meanwhile. */
async function loadLocked(trx: Knex.Transaction, organisationId: string): Promise<Organisation> {
  const row = await trx<OrganisationRow>('organisations').where({ id: organisationId }).forUpdate().first();
  if (!row) throw notFound('Organisation');
  return organisationOfRow(row);
}

interface OrganisationOfUserRow extends OrganisationRow {
  /** The user's own. */
  level: PermissionLevel;
}

const organisationsOf = (trx: Knex.Transaction, userId: string) =>
  trx('organisations')
    .join('members', 'members.organisation_id', 'organisations.id')
    .where({ 'members.user_id': userId, 'members.status': 'active' })
    .select('organisations.*', 'members.level') as Knex.QueryBuilder<object, OrganisationOfUserRow[]>;

async function save<Result>(
  trx: Knex.Transaction,
  by: Acting,
  organisation: Organisation,
  { state, events, result }: Decision<Organisation, Result>,
): Promise<Result> {
  if (state !== organisation) {
    await trx('organisations').where({ id: by.organisationId }).update(rowOfOrganisation(state));
  }
  await recordEvents(trx, by, events);
  return result;
}

async function activeMembers(trx: Knex.Transaction, organisationId: string): Promise<number> {
  const [counted] = (await trx('members')
    .where({ organisation_id: organisationId, status: 'active' })
    .count({ members: '*' })) as unknown as [{ members: string }];
  return Number(counted.members);
}

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

interface ShownMemberRow {
  id: string;
  created_at: Date;
  level: PermissionLevel;
  user_id: string;
  user_name: string;
  user_email: string;
}

async function loadMembers(trx: Knex.Transaction, organisationId: string): Promise<readonly OrganisationMember[]> {
  const members = trx('members')
    .join('users', 'users.id', 'members.user_id')
    .where('members.organisation_id', organisationId)
    .whereIn('members.status', shownStatuses)
    .select('members.id', 'members.created_at', 'members.level', {
      user_id: 'users.id',
      user_name: 'users.name',
      user_email: 'users.email',
    });
  const rows = await allPagesOf<ShownMemberRow>(members, { limit: 1000, order: 'asc', columns: memberAge });
  return rows.map((row) => ({
    id: row.id,
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    level: row.level,
  }));
}
