import { changesIn, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../audit/store/record-events.ts';
import { requireRoom } from '../domain/client-group-content.ts';
import type { ClientGroup } from '../domain/client-group.ts';
import type { ClientGroupFilter, ClientGroups } from '../domain/client-groups.ts';
import { clientGroupNotFound } from '../domain/errors.ts';
import { accessColumns, clientGroupColumns } from './client-group-columns.ts';
import {
  clientGroupParts,
  clientMembersTable,
  clientWorkspacesTable,
  contentColumns,
  contentOfRow,
  loadParts,
  type ContentRow,
} from './client-group-parts.ts';

/** Client groups in PostgreSQL. */
export function clientGroupsStore(database: Database): ClientGroups {
  const changes = changesIn(database, recordEvents);

  return {
    add: (by, created) => changes.add(by, created, (trx, group) => insertClientGroup(trx, by.organisationId, group)),

    update: (by, groupId, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadGroup(trx, by.organisationId, { id: groupId }, 'locked'),
        save: (trx, group) => saveGroup(trx, by.organisationId, group),
      }),

    updateDefault: (by, groupId, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          // Two groups are about to change: without this lock two such changes could each wait for the other's group.
          await trx('organisations').where({ id: by.organisationId }).forNoKeyUpdate().first('id');
          const wanted = await loadGroup(trx, by.organisationId, { id: groupId }, 'locked');
          if (wanted.isDefault) return { wanted, current: wanted };
          return { wanted, current: await loadGroup(trx, by.organisationId, { is_default: true }, 'locked') };
        },
        save: async (trx, { wanted, current }) => {
          // The former first: at no moment may there be two.
          await saveGroup(trx, by.organisationId, current);
          await saveGroup(trx, by.organisationId, wanted);
        },
      }),

    updateAccess: (by, groupId, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          const columns = [...accessColumns.names, ...contentColumns];
          const row = await named(trx, by.organisationId, groupId)
            .forNoKeyUpdate()
            .first<ContentRow | undefined>(columns);
          if (!row) throw clientGroupNotFound();
          return { ...accessColumns.read(row), content: contentOfRow(row) };
        },
        save: async (trx, access, { content }) => {
          const update = named(trx, by.organisationId, groupId).update(accessColumns.write(access));
          for (const row of await update.returning<ContentRow[]>(contentColumns)) {
            requireRoom(content, contentOfRow(row));
          }
        },
      }),

    get: (organisationId, groupId) =>
      database.tenant(organisationId, (trx) => loadGroup(trx, organisationId, { id: groupId })),

    getWhole: (organisationId, groupId) =>
      database.tenant(organisationId, async (trx) => {
        const row = await named(trx, organisationId, groupId).first<object | undefined>();
        if (!row) throw clientGroupNotFound();
        return {
          ...clientGroupColumns.read(row),
          ...accessColumns.read(row),
          members: await loadParts(trx, organisationId, groupId, clientMembersTable),
          workspaces: await loadParts(trx, organisationId, groupId, clientWorkspacesTable),
        };
      }),

    getDefault: (organisationId) =>
      database.tenant(organisationId, (trx) => loadGroup(trx, organisationId, { is_default: true })),

    list: (organisationId, filter, page) =>
      database.tenant(organisationId, (trx) =>
        listPage(groupsLike(trx, organisationId, filter), page, {
          order: 'desc',
          read: (rows) => rows.map(clientGroupColumns.read),
        }),
      ),

    members: clientGroupParts(database, clientMembersTable),
    workspaces: clientGroupParts(database, clientWorkspacesTable),
  };
}

/** Writes a group that is new, with nothing in it. */
export async function insertClientGroup(trx: Knex.Transaction, organisationId: string, group: ClientGroup) {
  await trx('client_groups').insert({ ...clientGroupColumns.write(group), organisation_id: organisationId });
}

/** Writes a group as it is now; what is in it is counted where that changes. */
const saveGroup = (trx: Knex.Transaction, organisationId: string, group: ClientGroup) =>
  named(trx, organisationId, group.id).update(clientGroupColumns.write(group));

const named = (trx: Knex.Transaction, organisationId: string, groupId: string) =>
  trx('client_groups').where({ organisation_id: organisationId, id: groupId });

async function loadGroup(
  trx: Knex.Transaction,
  organisationId: string,
  which: { readonly id: string } | { readonly is_default: true },
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<ClientGroup> {
  const query = trx('client_groups').where({ organisation_id: organisationId, ...which });
  if (lock === 'locked') void query.forNoKeyUpdate();
  const row = await query.first<object | undefined>(clientGroupColumns.names);
  if (!row) throw clientGroupNotFound();
  return clientGroupColumns.read(row);
}

function groupsLike(trx: Knex.Transaction, organisationId: string, { archived, search }: ClientGroupFilter) {
  const groups = trx('client_groups').where({ organisation_id: organisationId, archived });
  // What looks like a pattern is meant as it is written.
  if (search) void groups.whereILike('name', `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return groups.select(clientGroupColumns.names);
}
