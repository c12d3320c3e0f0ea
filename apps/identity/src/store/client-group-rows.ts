import type { Knex } from '@platform/postgres';
import { normalEmail } from '../domain/email-address.ts';
import type {
  AccessEntry,
  AccessLevel,
  ClientGroup,
  ClientMember,
  ClientPolicy,
  ClientWorkspace,
  Usage,
} from '../domain/client-groups/client-group.ts';

export interface ClientGroupRow {
  id: string;
  organisation_id: string;
  name: string;
  description: string;
  archived: boolean;
  is_default: boolean;
  policy_period_days: number | null;
  /** bigint: text on reading. */
  policy_ai_credit_limit: string | null;
  policy_infrastructure_credit_limit: string | null;
  policy_request_limit: string | null;
  policy_hard_stop: boolean | null;
  usage: Usage;
  usage_version: string;
  asset_access: AccessEntry[];
  folder_access: AccessEntry[];
  file_access: AccessEntry[];
  created_at: Date;
}

export interface ClientMemberRow {
  id: string;
  group_id: string;
  name: string;
  email: string;
  status: ClientMember['status'];
  folder_access: AccessEntry[];
  file_access: AccessEntry[];
  created_at: Date;
}

export interface ClientWorkspaceRow {
  id: string;
  group_id: string;
  name: string;
  description: string;
  access_level: AccessLevel;
  created_at: Date;
}

/** Reads what belongs to the given groups: two queries, however many groups there are. */
export async function clientGroupsOfRows(
  trx: Knex.Transaction,
  organisationId: string,
  rows: readonly ClientGroupRow[],
): Promise<ClientGroup[]> {
  const ids = rows.map(({ id }) => id);
  const partsOf = (table: string) =>
    trx(table).where({ organisation_id: organisationId }).whereIn('group_id', ids).orderBy(['created_at', 'id']);
  const members = Map.groupBy((await partsOf('client_members')) as ClientMemberRow[], ({ group_id }) => group_id);
  const workspaces = Map.groupBy(
    (await partsOf('client_workspaces')) as ClientWorkspaceRow[],
    ({ group_id }) => group_id,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    archived: row.archived,
    isDefault: row.is_default,
    members: (members.get(row.id) ?? []).map(clientMemberOfRow),
    workspaces: (workspaces.get(row.id) ?? []).map(clientWorkspaceOfRow),
    policy: policyOfRow(row),
    usage: row.usage,
    usageVersion: BigInt(row.usage_version),
    assetAccess: row.asset_access,
    folderAccess: row.folder_access,
    fileAccess: row.file_access,
    createdAt: row.created_at,
  }));
}

export const clientMemberOfRow = (row: ClientMemberRow): ClientMember => ({
  id: row.id,
  name: row.name,
  email: row.email,
  status: row.status,
  folderAccess: row.folder_access,
  fileAccess: row.file_access,
  createdAt: row.created_at,
});

export const clientWorkspaceOfRow = (row: ClientWorkspaceRow): ClientWorkspace => ({
  id: row.id,
  name: row.name,
  description: row.description,
  accessLevel: row.access_level,
  createdAt: row.created_at,
});

/** Writes a group that is new. */
export async function insertClientGroup(trx: Knex.Transaction, organisationId: string, group: ClientGroup) {
  await trx('client_groups').insert({ ...rowOfGroup(group), organisation_id: organisationId });
}

/** Writes what differs between two versions of a group, row by row. */
export async function saveClientGroup(
  trx: Knex.Transaction,
  organisationId: string,
  before: ClientGroup,
  after: ClientGroup,
) {
  if (after === before) return;
  await trx('client_groups').where({ organisation_id: organisationId, id: after.id }).update(rowOfGroup(after));
  const part = { organisation_id: organisationId, group_id: after.id };
  await saveParts(trx, 'client_members', before.members, after.members, (member) => ({
    ...part,
    id: member.id,
    name: member.name,
    email: member.email,
    normal_email: normalEmail(member.email),
    status: member.status,
    folder_access: JSON.stringify(member.folderAccess),
    file_access: JSON.stringify(member.fileAccess),
    created_at: member.createdAt,
  }));
  await saveParts(trx, 'client_workspaces', before.workspaces, after.workspaces, (workspace) => ({
    ...part,
    id: workspace.id,
    name: workspace.name,
    description: workspace.description,
    access_level: workspace.accessLevel,
    created_at: workspace.createdAt,
  }));
}

/** The domain never changes a part in place, so a part that is the same object needs no writing. */
async function saveParts<Part extends { readonly id: string }>(
  trx: Knex.Transaction,
  table: string,
  before: readonly Part[],
  after: readonly Part[],
  rowOf: (part: Part) => object,
) {
  const kept = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const known = new Set(before);
  const changed = after.filter((part) => !known.has(part));
  if (gone.length > 0) await trx(table).whereIn('id', gone).delete();
  if (changed.length > 0) await trx(table).insert(changed.map(rowOf)).onConflict('id').merge();
}

const rowOfGroup = (group: ClientGroup) => ({
  id: group.id,
  name: group.name,
  description: group.description,
  archived: group.archived,
  is_default: group.isDefault,
  policy_period_days: group.policy?.periodDays ?? null,
  policy_ai_credit_limit: group.policy?.aiCreditLimit?.toString() ?? null,
  policy_infrastructure_credit_limit: group.policy?.infrastructureCreditLimit?.toString() ?? null,
  policy_request_limit: group.policy?.requestLimit?.toString() ?? null,
  policy_hard_stop: group.policy?.hardStop ?? null,
  usage: JSON.stringify(group.usage),
  usage_version: group.usageVersion.toString(),
  asset_access: JSON.stringify(group.assetAccess),
  folder_access: JSON.stringify(group.folderAccess),
  file_access: JSON.stringify(group.fileAccess),
  created_at: group.createdAt,
});

function policyOfRow(row: ClientGroupRow): ClientPolicy | null {
  if (row.policy_period_days === null || row.policy_hard_stop === null) return null;
  const limit = (text: string | null) => (text === null ? null : BigInt(text));
  return {
    periodDays: row.policy_period_days,
    aiCreditLimit: limit(row.policy_ai_credit_limit),
    infrastructureCreditLimit: limit(row.policy_infrastructure_credit_limit),
    requestLimit: limit(row.policy_request_limit),
    hardStop: row.policy_hard_stop,
  };
}
