import type { Knex } from '@platform/postgres';
import { normalEmail } from '../domain/email-address.ts';
import type { ClientGroupContent } from '../domain/client-groups/client-group-content.ts';
import type {
  AccessEntry,
  AccessLevel,
  ClientGroup,
  ClientGroupAccess,
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
  member_count: number;
  workspace_count: number;
  policy_period_days: number | null;
  /** bigint: text on reading. */
  policy_ai_credit_limit: string | null;
  policy_infrastructure_credit_limit: string | null;
  policy_request_limit: string | null;
  policy_hard_stop: boolean | null;
  usage: Usage;
  usage_version: string;
  created_at: Date;
}

/** Columns of a group's row that are read only where they are wanted, as they can be large. */
export interface ClientGroupAccessRow {
  asset_access: AccessEntry[];
  folder_access: AccessEntry[];
  file_access: AccessEntry[];
}

/** The columns of `ClientGroupRow`. */
export const clientGroupColumns = [
  'id',
  'organisation_id',
  'name',
  'description',
  'archived',
  'is_default',
  'member_count',
  'workspace_count',
  'policy_period_days',
  'policy_ai_credit_limit',
  'policy_infrastructure_credit_limit',
  'policy_request_limit',
  'policy_hard_stop',
  'usage',
  'usage_version',
  'created_at',
] as const satisfies readonly (keyof ClientGroupRow)[];

export interface ClientGroupContentRow {
  member_count: number;
  workspace_count: number;
  /** bigint: text on reading. */
  bytes: string;
}

/** The columns of `ClientGroupContentRow`. */
export const contentColumns = (trx: Knex.Transaction) =>
  ['member_count', 'workspace_count', trx.raw('part_bytes + list_bytes AS bytes')] as const;

export const contentOfRow = (row: ClientGroupContentRow): ClientGroupContent => ({
  members: row.member_count,
  workspaces: row.workspace_count,
  bytes: Number(row.bytes),
});

export interface ClientMemberRow {
  id: string;
  name: string;
  email: string;
  status: ClientMember['status'];
  folder_access: AccessEntry[];
  file_access: AccessEntry[];
  created_at: Date;
}

export interface ClientWorkspaceRow {
  id: string;
  name: string;
  description: string;
  access_level: AccessLevel;
  created_at: Date;
}

export const clientGroupOfRow = (row: ClientGroupRow): ClientGroup => ({
  id: row.id,
  name: row.name,
  description: row.description,
  archived: row.archived,
  isDefault: row.is_default,
  memberCount: row.member_count,
  workspaceCount: row.workspace_count,
  policy: policyOfRow(row),
  usage: row.usage,
  usageVersion: BigInt(row.usage_version),
  createdAt: row.created_at,
});

export const accessOfRow = (row: ClientGroupAccessRow): ClientGroupAccess => ({
  assetAccess: row.asset_access,
  folderAccess: row.folder_access,
  fileAccess: row.file_access,
});

export const rowOfAccess = (access: ClientGroupAccess) => ({
  asset_access: JSON.stringify(access.assetAccess),
  folder_access: JSON.stringify(access.folderAccess),
  file_access: JSON.stringify(access.fileAccess),
});

export const clientMemberOfRow = (row: ClientMemberRow): ClientMember => ({
  id: row.id,
  name: row.name,
  email: row.email,
  status: row.status,
  folderAccess: row.folder_access,
  fileAccess: row.file_access,
  createdAt: row.created_at,
});

export const rowOfClientMember = (member: ClientMember) => ({
  id: member.id,
  name: member.name,
  email: member.email,
  normal_email: normalEmail(member.email),
  status: member.status,
  folder_access: JSON.stringify(member.folderAccess),
  file_access: JSON.stringify(member.fileAccess),
  created_at: member.createdAt,
});

export const clientWorkspaceOfRow = (row: ClientWorkspaceRow): ClientWorkspace => ({
  id: row.id,
  name: row.name,
  description: row.description,
  accessLevel: row.access_level,
  createdAt: row.created_at,
});

export const rowOfClientWorkspace = (workspace: ClientWorkspace) => ({
  id: workspace.id,
  name: workspace.name,
  description: workspace.description,
  access_level: workspace.accessLevel,
  created_at: workspace.createdAt,
});

/** Writes a group that is new, with nothing in it. */
export async function insertClientGroup(trx: Knex.Transaction, organisationId: string, group: ClientGroup) {
  await trx('client_groups').insert({ ...rowOfGroup(group), organisation_id: organisationId });
}

/** Writes a group as it is now; what is in it is counted where that changes. */
export async function saveClientGroup(trx: Knex.Transaction, organisationId: string, group: ClientGroup) {
  await trx('client_groups').where({ organisation_id: organisationId, id: group.id }).update(rowOfGroup(group));
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
