import { invalid } from '@platform/core';
import type {
  AccessEntryInput,
  ClientGroupInput,
  ClientGroupSummaryInput,
  ClientMemberInput,
  ClientPolicyInput,
  ClientWorkspaceInput,
  MemberStatus,
} from '@platform/contract/identity';
import type {
  AccessEntry,
  ClientGroup,
  ClientMember,
  ClientPolicy,
  ClientWorkspace,
  Usage,
  WholeClientGroup,
} from '../domain/client-groups/client-group.ts';
import { runningUsage } from '../domain/client-groups/running-usage.ts';

/** A group as it is at this moment. */
export const clientGroupMessage = (group: WholeClientGroup, at: Date): ClientGroupInput => ({
  id: group.id,
  name: group.name,
  description: group.description,
  archived: group.archived,
  isDefault: group.isDefault,
  members: group.members.map(clientMemberMessage),
  workspaces: group.workspaces.map(clientWorkspaceMessage),
  policy: group.policy && clientPolicyMessage(group.policy),
  usage: runningUsage(group, at),
  assetAccess: accessMessage(group.assetAccess),
  folderAccess: accessMessage(group.folderAccess),
  fileAccess: accessMessage(group.fileAccess),
});

/** A group as a list shows it at this moment. */
export const clientGroupSummaryMessage = (group: ClientGroup, at: Date): ClientGroupSummaryInput => ({
  id: group.id,
  name: group.name,
  description: group.description,
  archived: group.archived,
  isDefault: group.isDefault,
  memberCount: group.memberCount,
  workspaceCount: group.workspaceCount,
  policy: group.policy && clientPolicyMessage(group.policy),
  usage: runningUsage(group, at),
  createdAt: group.createdAt,
});

export const clientMemberMessage = (member: ClientMember): ClientMemberInput => ({
  id: member.id,
  name: member.name,
  email: member.email,
  status: member.status,
  folderAccess: accessMessage(member.folderAccess),
  fileAccess: accessMessage(member.fileAccess),
});

export const clientWorkspaceMessage = (workspace: ClientWorkspace): ClientWorkspaceInput => ({
  id: workspace.id,
  name: workspace.name,
  description: workspace.description,
  accessLevel: workspace.accessLevel,
});

export const clientPolicyMessage = (policy: ClientPolicy): ClientPolicyInput => ({
  periodDays: policy.periodDays,
  aiCreditLimit: policy.aiCreditLimit,
  infrastructureCreditLimit: policy.infrastructureCreditLimit,
  requestLimit: policy.requestLimit,
  hardStop: policy.hardStop,
});

/** Access lists of a request. */
export const accessLists = (entries: readonly { readonly entry: AccessEntry }[]): readonly AccessEntry[] =>
  entries.map(({ entry }) => entry);

/** A 64-bit limit of a request; it travels as text, so that no digit is lost. */
export const limitOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** A client is removed by removing it, not by a status. */
export function clientStatus(status: MemberStatus): ClientMember['status'] {
  if (status !== 'removed') return status;
  throw invalid([
    {
      type: 'enum',
      loc: ['body', 'status'],
      msg: "Input should be 'invited', 'active' or 'suspended'",
      input: status,
      ctx: { expected: "'invited', 'active' or 'suspended'" },
    },
  ]);
}

/** Usage of a report: integers, texts and null alone, as everybody who reads a client group expects. */
export function usageOf(usage: Readonly<Record<string, unknown>>): Usage {
  for (const [name, value] of Object.entries(usage)) {
    if (value === null || typeof value === 'string' || Number.isInteger(value)) continue;
    throw invalid([
      { type: 'int_type', loc: ['body', 'usage', name], msg: 'Input should be a valid integer', input: value },
    ]);
  }
  return usage as Usage;
}

const accessMessage = (entries: readonly AccessEntry[]): AccessEntryInput[] => entries.map((entry) => ({ entry }));
