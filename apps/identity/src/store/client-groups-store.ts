import { notFound } from '@platform/core';
import { listPage, type Database, type Knex } from '@platform/postgres';
import { requireRoom } from '../domain/client-groups/client-group-content.ts';
import type { ClientGroup } from '../domain/client-groups/client-group.ts';
import type { ClientGroupFilter, ClientGroups } from '../domain/client-groups/client-groups.ts';
import { clientMemberKind, clientWorkspaceKind, groupParts, loadParts } from './client-group-parts.ts';
import {
  accessOfRow,
  contentColumns,
  contentOfRow,
  clientGroupColumns,
  clientGroupOfRow,
  insertClientGroup,
  rowOfAccess,
  saveClientGroup,
  type ClientGroupAccessRow,
  type ClientGroupContentRow,
  type ClientGroupRow,
} from './client-group-rows.ts';
import { recordEvents } from './record-events.ts';

/** Client groups in PostgreSQL. */
export const clientGroupsStore = (database: Database): ClientGroups => ({
  add: (by, { state, events, result }) =>
    database.tenant(by.organisationId, async (trx) => {
      await insertClientGroup(trx, by.organisationId, state);
      await recordEvents(trx, by, events);
      return result;
    }),

  update: (by, groupId, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const group = await loadGroup(trx, by.organisationId, { id: groupId }, 'locked');
      const { state, events, result } = decide(group);
      if (state !== group) await saveClientGroup(trx, by.organisationId, state);
      await recordEvents(trx, by, events);
      return result;
    }),

  updateDefault: (by, groupId, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      // Two groups are about to change: without this lock two such changes could each wait for the other's group.
      await trx('organisations').where({ id: by.organisationId }).forNoKeyUpdate().first('id');
      const wanted = await loadGroup(trx, by.organisationId, { id: groupId }, 'locked');
      const current = wanted.isDefault
        ? wanted
        : await loadGroup(trx, by.organisationId, { is_default: true }, 'locked');
      const { state, events } = decide({ wanted, current });
      // The former first: at no moment may there be two.
      if (state.current !== current) await saveClientGroup(trx, by.organisationId, state.current);
      if (state.wanted !== wanted) await saveClientGroup(trx, by.organisationId, state.wanted);
      await recordEvents(trx, by, events);
    }),

  updateAccess: (by, groupId, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const named = { organisation_id: by.organisationId, id: groupId };
      const columns = ['asset_access', 'folder_access', 'file_access', ...contentColumns(trx)];
      const [row] = await trx('client_groups')
        .where(named)
        .forNoKeyUpdate()
        .select<(ClientGroupAccessRow & ClientGroupContentRow)[]>(columns);
      if (!row) throw notFound('Client group');
      const access = accessOfRow(row);
      const { state, events } = decide(access);
      if (state === access) return;
      const update = trx('client_groups').where(named).update(rowOfAccess(state));
      for (const changed of await update.returning<ClientGroupContentRow[]>(contentColumns(trx))) {
        requireRoom(contentOfRow(row), contentOfRow(changed));
      }
      await recordEvents(trx, by, events);
    }),

  get: (organisationId, groupId) =>
    database.tenant(organisationId, (trx) => loadGroup(trx, organisationId, { id: groupId })),

  getWhole: (organisationId, groupId) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<ClientGroupRow & ClientGroupAccessRow>('client_groups')
        .where({ organisation_id: organisationId, id: groupId })
        .first();
      if (!row) throw notFound('Client group');
      return {
        ...clientGroupOfRow(row),
        ...accessOfRow(row),
        members: await loadParts(trx, organisationId, groupId, clientMemberKind),
        workspaces: await loadParts(trx, organisationId, groupId, clientWorkspaceKind),
      };
    }),

  getDefault: (organisationId) =>
    database.tenant(organisationId, (trx) => loadGroup(trx, organisationId, { is_default: true })),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(groupsLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(clientGroupOfRow),
      }),
    ),

  members: groupParts(database, clientMemberKind),
  workspaces: groupParts(database, clientWorkspaceKind),
});

async function loadGroup(
  trx: Knex.Transaction,
  organisationId: string,
  which: { readonly id: string } | { readonly is_default: true },
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<ClientGroup> {
  const query = trx('client_groups').where({ organisation_id: organisationId, ...which });
  if (lock === 'locked') void query.forNoKeyUpdate();
  const [row] = await query.select<ClientGroupRow[]>(clientGroupColumns);
  if (!row) throw notFound('Client group');
  return clientGroupOfRow(row);
}

function groupsLike(trx: Knex.Transaction, organisationId: string, { archived, search }: ClientGroupFilter) {
  const groups = trx<ClientGroupRow>('client_groups').where({ organisation_id: organisationId, archived });
  // What looks like a pattern is meant as it is written.
  if (search) void groups.whereILike('name', `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return groups.select(...clientGroupColumns) as Knex.QueryBuilder<object, ClientGroupRow[]>;
}
