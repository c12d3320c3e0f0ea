import { notFound } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import type { Decision } from '../domain/identity-event.ts';
import type { Organisation } from '../domain/organisations/organisation.ts';
import type { Organisations, OrganisationWithMembers } from '../domain/organisations/organisations.ts';
import { insertClientGroup } from './client-group-rows.ts';
import { listPage } from '@platform/postgres';
import { memberOfRow, membersWithUsers, saveMembers } from './member-rows.ts';
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
    database.tenant(organisationId, async (trx) => {
      const row = await trx<OrganisationRow>('organisations').where({ id: organisationId }).first();
      if (!row) throw notFound('Organisation');
      const [organisation] = await withMembers(trx, [row]);
      if (!organisation) throw notFound('Organisation');
      return organisation;
    }),

  listOfUser: (userId, page) =>
    database.system({ 'app.user_id': userId }, (trx) =>
      listPage(organisationsOf(trx, userId), page, {
        order: 'desc',
        columns: { createdAt: 'organisations.created_at', id: 'organisations.id' },
        read: async (rows) => {
          const ids = rows.map(({ id }) => id).join(',');
          await trx.raw(`SELECT set_config('app.organisation_ids', ?, true)`, [ids]);
          return withMembers(trx, rows);
        },
      }),
    ),
});

/** FOR UPDATE, as the row may be deleted: nothing that refers to it may be written meanwhile. */
async function loadLocked(trx: Knex.Transaction, organisationId: string): Promise<Organisation> {
  const row = await trx<OrganisationRow>('organisations').where({ id: organisationId }).forUpdate().first();
  if (!row) throw notFound('Organisation');
  return organisationOfRow(row);
}

const organisationsOf = (trx: Knex.Transaction, userId: string) =>
  trx('organisations')
    .join('members', 'members.organisation_id', 'organisations.id')
    .where({ 'members.user_id': userId, 'members.status': 'active' })
    .select('organisations.*') as Knex.QueryBuilder<object, OrganisationRow[]>;

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

/** Reads the members of all organisations of a page in one query. */
async function withMembers(
  trx: Knex.Transaction,
  rows: readonly OrganisationRow[],
): Promise<readonly OrganisationWithMembers[]> {
  const ids = rows.map(({ id }) => id);
  const members = await membersWithUsers(trx)
    .whereIn('members.organisation_id', ids)
    .whereIn('members.status', ['active', 'suspended'])
    .orderBy(['members.created_at', 'members.id']);
  const ofOrganisation = Map.groupBy(members, (member) => member.organisation_id);
  return rows.map((row) => ({
    ...organisationOfRow(row),
    members: (ofOrganisation.get(row.id) ?? []).map(memberOfRow),
  }));
}
