import { notFound } from '@platform/core';
import { allPagesOf, listPage, type Database, type Knex } from '@platform/postgres';
import {
  largestClientGroup,
  requireRoom,
  type ClientGroupContent,
} from '../domain/client-groups/client-group-content.ts';
import type { ClientMember, ClientWorkspace } from '../domain/client-groups/client-group.ts';
import type { ClientGroupParts } from '../domain/client-groups/client-groups.ts';
import {
  clientMemberOfRow,
  clientWorkspaceOfRow,
  contentColumns,
  contentOfRow,
  rowOfClientMember,
  rowOfClientWorkspace,
  type ClientGroupContentRow,
  type ClientMemberRow,
  type ClientWorkspaceRow,
} from './client-group-rows.ts';
import { recordEvents } from './record-events.ts';

/** One kind of things that client groups have many of. */
interface PartKind<Part, Row> {
  readonly table: 'client_members' | 'client_workspaces';
  readonly thing: string;
  readonly count: 'members' | 'workspaces';
  readonly ofRow: (row: Row) => Part;
  readonly rowOf: (part: Part) => object;
}

export const clientMemberKind: PartKind<ClientMember, ClientMemberRow> = {
  table: 'client_members',
  thing: 'Client member',
  count: 'members',
  ofRow: clientMemberOfRow,
  rowOf: rowOfClientMember,
};

export const clientWorkspaceKind: PartKind<ClientWorkspace, ClientWorkspaceRow> = {
  table: 'client_workspaces',
  thing: 'Workspace',
  count: 'workspaces',
  ofRow: clientWorkspaceOfRow,
  rowOf: rowOfClientWorkspace,
};

/**
 * The parts of one kind in PostgreSQL. A change touches the part's own row alone; the database adds to the counts of the
 * group as the last thing before it is known whether there is room. So many clients who change one group wait for each
 * other no longer than that takes to commit.
 */
export function groupParts<Part, Row extends { id: string; created_at: Date }>(
  database: Database,
  { table, thing, count, ofRow, rowOf }: PartKind<Part, Row>,
): ClientGroupParts<Part> {
  const locked = async (trx: Knex.Transaction, organisationId: string, groupId: string, partId: string) => {
    await requireGroup(trx, organisationId, groupId);
    const row = (await trx(table)
      .where({ organisation_id: organisationId, group_id: groupId, id: partId })
      .forUpdate()
      .first()) as (Row & { bytes: number }) | undefined;
    if (!row) throw notFound(thing);
    return { part: ofRow(row), bytes: row.bytes };
  };

  return {
    add: (by, groupId, { state, events, result }) =>
      database.tenant(by.organisationId, async (trx) => {
        await requireGroup(trx, by.organisationId, groupId);
        const row = { ...rowOf(state), organisation_id: by.organisationId, group_id: groupId };
        await recordEvents(trx, by, events);
        const bytes = written(await trx(table).insert(row).returning('bytes'));
        await requireRoomFor(trx, by.organisationId, groupId, { [count]: 1, bytes });
        return result;
      }),

    update: (by, groupId, partId, decide) =>
      database.tenant(by.organisationId, async (trx) => {
        const { part, bytes: before } = await locked(trx, by.organisationId, groupId, partId);
        const { state, events, result } = decide(part);
        if (state === part) return result;
        const named = { organisation_id: by.organisationId, id: partId };
        await recordEvents(trx, by, events);
        const bytes = written(await trx(table).where(named).update(rowOf(state)).returning('bytes'));
        if (bytes > before) await requireRoomFor(trx, by.organisationId, groupId, { bytes: bytes - before });
        return result;
      }),

    remove: (by, groupId, partId, decide) =>
      database.tenant(by.organisationId, async (trx) => {
        const { part } = await locked(trx, by.organisationId, groupId, partId);
        const { events, result } = decide(part);
        await recordEvents(trx, by, events);
        await trx(table).where({ organisation_id: by.organisationId, id: partId }).delete();
        return result;
      }),

    list: (organisationId, groupId, page) =>
      database.tenant(organisationId, async (trx) => {
        await requireGroup(trx, organisationId, groupId);
        const parts = trx(table).where({ organisation_id: organisationId, group_id: groupId });
        return listPage(parts as Knex.QueryBuilder<object, Row[]>, page, {
          order: 'asc',
          read: (rows) => rows.map(ofRow),
        });
      }),
  };
}

/** All parts of a group, oldest first. */
export async function loadParts<Part, Row extends { id: string; created_at: Date }>(
  trx: Knex.Transaction,
  organisationId: string,
  groupId: string,
  { table, ofRow }: PartKind<Part, Row>,
): Promise<Part[]> {
  const parts = trx(table).where({ organisation_id: organisationId, group_id: groupId });
  return (await allPagesOf<Row>(parts, { limit: largestClientGroup.members, order: 'asc' })).map(ofRow);
}

async function requireGroup(trx: Knex.Transaction, organisationId: string, groupId: string): Promise<void> {
  const row: unknown = await trx('client_groups').where({ organisation_id: organisationId, id: groupId }).first('id');
  if (!row) throw notFound('Client group');
}

const written = (rows: readonly { bytes: number }[]): number => rows[0]?.bytes ?? 0;

/** CONFLICT: the group has no room for what was added. The database has counted it already. */
async function requireRoomFor(
  trx: Knex.Transaction,
  organisationId: string,
  groupId: string,
  { members = 0, workspaces = 0, bytes = 0 }: Partial<ClientGroupContent>,
): Promise<void> {
  const [row] = await trx('client_groups')
    .where({ organisation_id: organisationId, id: groupId })
    .select<ClientGroupContentRow[]>(contentColumns(trx));
  // The organisation was deleted a moment ago, and the group with it.
  if (!row) throw notFound('Client group');
  const after = contentOfRow(row);
  const before = {
    members: after.members - members,
    workspaces: after.workspaces - workspaces,
    bytes: after.bytes - bytes,
  };
  requireRoom(before, after);
}
