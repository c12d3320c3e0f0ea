import type { DomainError } from '@platform-backend/core';
import { changesIn, listPage, type Columns, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../audit/store/record-events.ts';
import { normalEmail } from '../../members/domain/email-address.ts';
import { requireRoom, type ClientGroupContent } from '../domain/client-group-content.ts';
import type { ClientMember, ClientWorkspace } from '../domain/client-group.ts';
import type { ClientGroupParts } from '../domain/client-groups.ts';
import { clientGroupNotFound, clientMemberNotFound, workspaceNotFound } from '../domain/errors.ts';
import { clientMemberColumns, clientWorkspaceColumns } from './client-group-columns.ts';

/** Where one kind of parts of client groups is kept. */
interface PartTable<Part> {
  readonly name: 'client_members' | 'client_workspaces';
  readonly partNotFound: () => DomainError;
  readonly count: 'members' | 'workspaces';
  readonly columns: Columns<Part>;
}

export const clientMembersTable: PartTable<ClientMember> = {
  name: 'client_members',
  partNotFound: clientMemberNotFound,
  count: 'members',
  columns: {
    ...clientMemberColumns,
    write: (member) => ({ ...clientMemberColumns.write(member), normal_email: member && normalEmail(member.email) }),
  },
};

export const clientWorkspacesTable: PartTable<ClientWorkspace> = {
  name: 'client_workspaces',
  partNotFound: workspaceNotFound,
  count: 'workspaces',
  columns: clientWorkspaceColumns,
};

/**
 * The parts of one kind in PostgreSQL. A change touches the part's own row alone; the database adds to the counts of the
 * group as the last thing before it is known whether there is room. So many clients who change one group wait for each
 * other no longer than that takes to commit.
 */
export function clientGroupParts<Part extends object>(
  database: Database,
  { name, partNotFound, count, columns }: PartTable<Part>,
): ClientGroupParts<Part> {
  const changes = changesIn(database, recordEvents);

  return {
    add: (by, groupId, added) =>
      changes.add(by, added, async (trx, part) => {
        await requireGroup(trx, by.organisationId, groupId);
        const row = { ...columns.write(part), organisation_id: by.organisationId, group_id: groupId };
        const bytes = bytesOf(await trx(name).insert(row).returning('bytes'));
        await requireRoomFor(trx, by.organisationId, groupId, { [count]: 1, bytes });
      }),

    update: (by, groupId, partId, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          await requireGroup(trx, by.organisationId, groupId);
          const named = { organisation_id: by.organisationId, group_id: groupId, id: partId };
          const row = await trx(name).where(named).forUpdate().first<{ readonly bytes: number } | undefined>();
          if (!row) throw partNotFound();
          return { ...columns.read(row), bytes: row.bytes };
        },
        save: async (trx, part, { bytes: before }) => {
          const stored = trx(name).where({ organisation_id: by.organisationId, id: partId });
          if (part === null) return stored.delete();
          const bytes = bytesOf(await stored.update(columns.write(part)).returning('bytes'));
          if (bytes > before) await requireRoomFor(trx, by.organisationId, groupId, { bytes: bytes - before });
        },
      }),

    list: (organisationId, groupId, page) =>
      database.tenant(organisationId, async (trx) => {
        await requireGroup(trx, organisationId, groupId);
        const parts = trx(name).where({ organisation_id: organisationId, group_id: groupId });
        return listPage(parts, page, { order: 'asc', read: (rows) => rows.map(columns.read) });
      }),
  };
}

/** All parts of a group `g`, oldest first, as JSON: what a statement selects that reads it whole, in one round trip. */
export const partsOfGroup = <Part>({ name, columns }: PartTable<Part>): string => `(
  SELECT coalesce(json_agg(part), '[]') FROM (
    SELECT ${columns.names.map((column) => (column === 'created_at' ? milliseconds : `p.${column}`)).join(', ')}
    FROM ${name} p WHERE p.organisation_id = g.organisation_id AND p.group_id = g.id ORDER BY p.created_at, p.id
  ) AS part)`;

const milliseconds = '(extract(epoch FROM p.created_at) * 1000)::bigint AS created_at';

/** Reads what `partsOfGroup` has selected. */
export const readParts = <Part>({ columns }: PartTable<Part>, parts: readonly PartRow[]): Part[] =>
  parts.map((part) => columns.read({ ...part, created_at: new Date(part.created_at) }));

/** With the other columns of its table. */
export interface PartRow {
  readonly created_at: number;
}

async function requireGroup(trx: Knex.Transaction, organisationId: string, groupId: string): Promise<void> {
  const row: unknown = await trx('client_groups').where({ organisation_id: organisationId, id: groupId }).first('id');
  if (!row) throw clientGroupNotFound();
}

const bytesOf = ([row]: readonly { readonly bytes: number }[]): number => row?.bytes ?? 0;

/** CONFLICT: the group has no room for what was added. The database has counted it already. */
async function requireRoomFor(
  trx: Knex.Transaction,
  organisationId: string,
  groupId: string,
  { members = 0, workspaces = 0, bytes = 0 }: Partial<ClientGroupContent>,
): Promise<void> {
  const row = await trx('client_groups')
    .where({ organisation_id: organisationId, id: groupId })
    .first<ContentRow | undefined>(contentColumns);
  // The organisation was deleted a moment ago, and the group with it.
  if (!row) throw clientGroupNotFound();
  const after = contentOfRow(row);
  const before = {
    members: after.members - members,
    workspaces: after.workspaces - workspaces,
    bytes: after.bytes - bytes,
  };
  requireRoom(before, after);
}

/** How much is in a group, as the database counts it. */
export const contentColumns = ['member_count', 'workspace_count', 'part_bytes', 'list_bytes'] as const;

export interface ContentRow {
  readonly member_count: number;
  readonly workspace_count: number;
  /** bigint: text on reading. */
  readonly part_bytes: string;
  readonly list_bytes: string;
}

export const contentOfRow = (row: ContentRow): ClientGroupContent => ({
  members: row.member_count,
  workspaces: row.workspace_count,
  bytes: Number(row.part_bytes) + Number(row.list_bytes),
});
