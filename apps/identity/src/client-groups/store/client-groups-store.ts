import { changesIn, firstOrThrow, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { additionsTo, recordEvents } from '../../audit/store/record-events.ts';
import { requireRoom } from '../domain/client-group-content.ts';
import type { ClientGroup, WholeClientGroup } from '../domain/client-group.ts';
import type { ClientGroupFilter, ClientGroups } from '../domain/client-groups.ts';
import { clientGroupNotFound } from '../domain/errors.ts';
import { accessColumns, clientGroupColumns } from './client-group-columns.ts';
import {
  clientGroupParts,
  clientMembersTable,
  clientWorkspacesTable,
  contentColumns,
  contentOfRow,
  partsOfGroup,
  readParts,
  type ContentRow,
  type PartRow,
} from './client-group-parts.ts';

/** Client groups in PostgreSQL. */
export function clientGroupsStore(database: Database): ClientGroups {
  const changes = changesIn(database, recordEvents);

  return {
    add: additionsTo(database, clientGroupsTable),

    update: (by, groupId, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadGroup(trx, by.organisationId, { id: groupId }),
        save: (trx, group) => saveGroup(trx, by.organisationId, group),
      }),

    updateDefault: (by, groupId, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          // Two groups are about to change: without this lock two such changes could each wait for the other's group.
          await trx('organisations').where({ id: by.organisationId }).forNoKeyUpdate().first('id');
          const wanted = await loadGroup(trx, by.organisationId, { id: groupId });
          if (wanted.isDefault) return { wanted, current: wanted };
          return { wanted, current: await loadGroup(trx, by.organisationId, { is_default: true }) };
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

    get: async (organisationId, groupId) =>
      readGroup(await database.statement(organisationId, getStatement, [organisationId, groupId])),

    getWhole: async (organisationId, groupId) =>
      readWhole(await database.statement(organisationId, getWholeStatement, [organisationId, groupId])),

    getDefault: async (organisationId) =>
      readGroup(await database.statement(organisationId, getDefaultStatement, [organisationId])),

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

/** Groups that are new, with nothing in them. */
export const clientGroupsTable = { name: 'client_groups', columns: clientGroupColumns };

const selectGroups = `SELECT ${clientGroupColumns.names.join(', ')} FROM client_groups WHERE organisation_id = $1`;
const getStatement = { name: 'get-client-group', text: `${selectGroups} AND id = $2` };
const getDefaultStatement = { name: 'get-default-client-group', text: `${selectGroups} AND is_default` };

/** A group with all that is in it, as it was at one moment. */
export const getWholeStatement = {
  name: 'get-whole-client-group',
  text: `SELECT ${[...clientGroupColumns.names, ...accessColumns.names].map((column) => `g.${column}`).join(', ')},
                ${partsOfGroup(clientMembersTable)} AS members, ${partsOfGroup(clientWorkspacesTable)} AS workspaces
         FROM client_groups g WHERE g.organisation_id = $1 AND g.id = $2`,
};

interface WholeRow {
  readonly members: readonly PartRow[];
  readonly workspaces: readonly PartRow[];
}

function readGroup([row]: readonly object[]): ClientGroup {
  if (!row) throw clientGroupNotFound();
  return clientGroupColumns.read(row);
}

function readWhole([row]: readonly WholeRow[]): WholeClientGroup {
  if (!row) throw clientGroupNotFound();
  return {
    ...clientGroupColumns.read(row),
    ...accessColumns.read(row),
    members: readParts(clientMembersTable, row.members),
    workspaces: readParts(clientWorkspacesTable, row.workspaces),
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

/** Locks it. */
async function loadGroup(
  trx: Knex.Transaction,
  organisationId: string,
  which: { readonly id: string } | { readonly is_default: true },
): Promise<ClientGroup> {
  const group = trx('client_groups').where({ organisation_id: organisationId, ...which });
  return firstOrThrow(group.forNoKeyUpdate(), clientGroupColumns, clientGroupNotFound);
}

function groupsLike(trx: Knex.Transaction, organisationId: string, { archived, search }: ClientGroupFilter) {
  const groups = trx('client_groups').where({ organisation_id: organisationId, archived });
  // What looks like a pattern is meant as it is written.
  if (search) void groups.whereILike('name', `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return groups.select(clientGroupColumns.names);
}
