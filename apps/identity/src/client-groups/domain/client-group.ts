import type { ClientGroupPolicy, ClientGroupState } from '@platform-backend/contract-identity/events';
import type { Fields } from '@platform-backend/core';
import type { MemberStatus } from '../../members/domain/member.ts';

/** What a client may do in a workspace, lowest first (D2). */
export type AccessLevel = 'VIEW' | 'COMMENT' | 'EDIT' | 'MANAGE';

/** One entry of an access list: names and values are the client's own business. */
export type AccessEntry = Readonly<Record<string, string>>;

/** A client in a group. A removed client is not kept, so `removed` is never seen here. */
export interface ClientMember {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly status: Exclude<MemberStatus, 'removed'>;
  readonly folderAccess: readonly AccessEntry[];
  readonly fileAccess: readonly AccessEntry[];
  readonly createdAt: Date;
}

export interface ClientWorkspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly accessLevel: AccessLevel;
  readonly createdAt: Date;
}

/** What the group may use in each period of `periodDays` days; null: no limit. */
export interface ClientPolicy {
  readonly periodDays: number;
  /** Whole credits. */
  readonly aiCreditLimit: bigint | null;
  /** Whole credits. */
  readonly infrastructureCreditLimit: bigint | null;
  readonly requestLimit: bigint | null;
  /** Refuse at the limit (true) or only warn (false). */
  readonly hardStop: boolean;
}

/** What billing has counted, under names of billing's choosing. */
export type Usage = Readonly<Record<string, number | string | null>>;

/** A client group without what can be large: its members, its workspaces and its access lists. */
export interface ClientGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly archived: boolean;
  /** The one group of the organisation that new clients belong to. */
  readonly isDefault: boolean;
  readonly memberCount: number;
  readonly workspaceCount: number;
  readonly policy: ClientPolicy | null;
  readonly usage: Usage;
  /** Version of billing's last usage report; 0: none yet. */
  readonly usageVersion: bigint;
  /** Grows with every change that is told with the group's state; usage and what is in the group leave it as it is. */
  readonly version: bigint;
  readonly createdAt: Date;
}

/** What everybody in a group may reach. */
export interface ClientGroupAccess {
  readonly assetAccess: readonly AccessEntry[];
  readonly folderAccess: readonly AccessEntry[];
  readonly fileAccess: readonly AccessEntry[];
}

/** A client group with all that belongs to it. */
export interface WholeClientGroup extends ClientGroup, ClientGroupAccess {
  /** Oldest first. */
  readonly members: readonly ClientMember[];
  /** Oldest first. */
  readonly workspaces: readonly ClientWorkspace[];
}

/** A client group as the audit log shows it. */
export const clientGroupFields = (group: ClientGroup): Fields => ({
  name: group.name,
  description: group.description,
  archived: group.archived,
  is_default: group.isDefault,
  policy: group.policy && clientPolicyFields(group.policy),
});

/** A client group as others who hold usage against its policy are told of it. */
export const clientGroupStateFields = ({ version, policy, isDefault, createdAt }: ClientGroup): ClientGroupState => ({
  version: version.toString(),
  policy: policy && clientPolicyFields(policy),
  is_default: isDefault,
  created_at: createdAt.toISOString(),
});

export const clientGroupAccessFields = ({ assetAccess, folderAccess, fileAccess }: ClientGroupAccess): Fields => ({
  asset_access: assetAccess,
  folder_access: folderAccess,
  file_access: fileAccess,
});

export const clientMemberFields = ({ id, name, email, status, folderAccess, fileAccess }: ClientMember): Fields => ({
  id,
  name,
  email,
  status,
  folder_access: folderAccess,
  file_access: fileAccess,
});

export const clientWorkspaceFields = ({ id, name, description, accessLevel }: ClientWorkspace): Fields => ({
  id,
  name,
  description,
  access_level: accessLevel,
});

/** Limits go as text: they may be larger than a JSON number can say exactly. */
const clientPolicyFields = (policy: ClientPolicy): ClientGroupPolicy => ({
  period_days: policy.periodDays,
  ai_credit_limit: policy.aiCreditLimit?.toString() ?? null,
  infrastructure_credit_limit: policy.infrastructureCreditLimit?.toString() ?? null,
  request_limit: policy.requestLimit?.toString() ?? null,
  hard_stop: policy.hardStop,
});
