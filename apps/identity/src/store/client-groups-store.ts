import { notFound } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import type { DefaultChange } from '../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../domain/client-groups/client-group.ts';
import type { ClientGroupFilter, ClientGroups } from '../domain/client-groups/client-groups.ts';
import type { Decision } from '../domain/identity-event.ts';
import {
  clientGroupsOfRows,
  clientMemberOfRow,
  clientWorkspaceOfRow,
  insertClientGroup,
  saveClientGroup,
  type ClientGroupRow,
  type ClientMemberRow,
  type ClientWorkspaceRow,
} from './client-group-rows.ts';
import { listPage } from '@platform/postgres';
import { recordEvents } from './record-events.ts';

/** Client groups in PostgreSQL. */
export const clientGroupsStore = (database: Database): ClientGroups => ({
  add: (by, { state, events, result }) =>
    database.tenant(by.organisationId, async (trx) => {
      await insertClientGroup(trx, by.organisationId, state);
      await recordEvents(trx, by, events);
      return result;
    }),

  update: <Result>(by: Acting, groupId: string, decide: (group: ClientGroup) => Decision<ClientGroup, Result>) =>
    database.tenant(by.organisationId, async (trx) => {
      const group = await loadGroup(trx, by.organisationId, groupId, 'locked');
      const { state, events, result } = decide(group);
      await saveClientGroup(trx, by.organisationId, group, state);
      await recordEvents(trx, by, events);
      return result;
    }),

  updateDefault: <Result>(
    by: Acting,
    groupId: string,
    decide: (groups: DefaultChange) => Decision<DefaultChange, Result>,
  ) =>
    database.tenant(by.organisationId, async (trx) => {
      // Two groups are about to change: without this lock two such changes could each wait for the other's group.
      await trx('organisations').where({ id: by.organisationId }).forNoKeyUpdate().first('id');
      const wanted = await loadGroup(trx, by.organisationId, groupId, 'locked');
      const current = wanted.isDefault ? wanted : await loadDefaultGroup(trx, by.organisationId, 'locked');
      const { state, events, result } = decide({ wanted, current });
      // The former first: at no moment may there be two.
      await saveClientGroup(trx, by.organisationId, current, state.current);
      await saveClientGroup(trx, by.organisationId, wanted, state.wanted);
      await recordEvents(trx, by, events);
      return result;
    }),

  get: (organisationId, groupId) =>
    database.tenant(organisationId, (trx) => loadGroup(trx, organisationId, groupId, 'unlocked')),

  getDefault: (organisationId) =>
    database.tenant(organisationId, (trx) => loadDefaultGroup(trx, organisationId, 'unlocked')),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(groupsLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => clientGroupsOfRows(trx, organisationId, rows),
      }),
    ),

  listMembers: (organisationId, groupId, page) =>
    database.tenant(organisationId, async (trx) => {
      await requireGroup(trx, organisationId, groupId);
      const members = trx('client_members').where({ organisation_id: organisationId, group_id: groupId });
      return listPage(members as Knex.QueryBuilder<object, ClientMemberRow[]>, page, {
        order: 'asc',
        read: (rows) => rows.map(clientMemberOfRow),
      });
    }),

  listWorkspaces: (organisationId, groupId, page) =>
    database.tenant(organisationId, async (trx) => {
      await requireGroup(trx, organisationId, groupId);
      const workspaces = trx('client_workspaces').where({ organisation_id: organisationId, group_id: groupId });
      return listPage(workspaces as Knex.QueryBuilder<object, ClientWorkspaceRow[]>, page, {
        order: 'asc',
        read: (rows) => rows.map(clientWorkspaceOfRow),
      });
    }),
});

async function loadGroup(
  trx: Knex.Transaction,
  organisationId: string,
  groupId: string,
  lock: 'locked' | 'unlocked',
): Promise<ClientGroup> {
  const query = trx<ClientGroupRow>('client_groups').where({ organisation_id: organisationId, id: groupId });
  const row = await (lock === 'locked' ? query.forUpdate() : query).first();
  const [group] = row ? await clientGroupsOfRows(trx, organisationId, [row]) : [];
  if (!group) throw notFound('Client group');
  return group;
}

async function loadDefaultGroup(
  trx: Knex.Transaction,
  organisationId: string,
  lock: 'locked' | 'unlocked',
): Promise<ClientGroup> {
  const query = trx<ClientGroupRow>('client_groups').where({ organisation_id: organisationId, is_default: true });
  const row = await (lock === 'locked' ? query.forUpdate() : query).first();
  const [group] = row ? await clientGroupsOfRows(trx, organisationId, [row]) : [];
  if (!group) throw notFound('Client group');
  return group;
}

async function requireGroup(trx: Knex.Transaction, organisationId: string, groupId: string): Promise<void> {
  const row: unknown = await trx('client_groups').where({ organisation_id: organisationId, id: groupId }).first('id');
  if (!row) throw notFound('Client group');
}

function groupsLike(trx: Knex.Transaction, organisationId: string, { archived, search }: ClientGroupFilter) {
  const groups = trx('client_groups').where({ organisation_id: organisationId, archived });
  // What looks like a pattern is meant as it is written.
  if (search) void groups.whereILike('name', `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return groups as Knex.QueryBuilder<object, ClientGroupRow[]>;
}
