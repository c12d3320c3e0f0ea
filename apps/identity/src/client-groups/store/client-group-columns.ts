import { bigintColumn, columns, jsonColumn, nullable, readOnlyColumn } from '@platform-backend/postgres';
import type {
  ClientGroup,
  ClientGroupAccess,
  ClientMember,
  ClientPolicy,
  ClientWorkspace,
} from '../domain/client-group.ts';

/** A policy exists as a whole or not at all. */
const policy = columns<ClientPolicy>({
  periodDays: 'policy_period_days',
  aiCreditLimit: bigintColumn('policy_ai_credit_limit'),
  infrastructureCreditLimit: bigintColumn('policy_infrastructure_credit_limit'),
  requestLimit: bigintColumn('policy_request_limit'),
  hardStop: 'policy_hard_stop',
});

export const clientGroupColumns = columns<ClientGroup>({
  id: 'id',
  name: 'name',
  description: 'description',
  archived: 'archived',
  isDefault: 'is_default',
  memberCount: readOnlyColumn('member_count'),
  workspaceCount: readOnlyColumn('workspace_count'),
  policy: nullable(policy),
  usage: jsonColumn('usage'),
  usageVersion: bigintColumn('usage_version'),
  version: bigintColumn('version'),
  createdAt: 'created_at',
});

/** Columns of a group's row that are read only where they are wanted, as they can be large. */
export const accessColumns = columns<ClientGroupAccess>({
  assetAccess: jsonColumn('asset_access'),
  folderAccess: jsonColumn('folder_access'),
  fileAccess: jsonColumn('file_access'),
});

export const clientMemberColumns = columns<ClientMember>({
  id: 'id',
  name: 'name',
  email: 'email',
  status: 'status',
  folderAccess: jsonColumn('folder_access'),
  fileAccess: jsonColumn('file_access'),
  createdAt: 'created_at',
});

export const clientWorkspaceColumns = columns<ClientWorkspace>({
  id: 'id',
  name: 'name',
  description: 'description',
  accessLevel: 'access_level',
  createdAt: 'created_at',
});
