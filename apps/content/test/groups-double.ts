import type { ServiceKeys } from '@platform-backend/auth';
import {
  identityContract,
  type ResolveClientAccessRequest,
  type ResolveClientGroupsRequest,
  type ResolveMembersRequest,
} from '@platform-backend/contract-identity';
import { newId } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';

interface Lists {
  readonly files: string[];
  readonly folders: string[];
  readonly assets: string[];
}

export type GroupsDouble = Awaited<ReturnType<typeof groupsDouble>>;

/** Stands in for identity: client groups, who is in which, and what they open. */
export async function groupsDouble(keys: ServiceKeys) {
  const groups = new Map<string, Lists & { readonly organisationId: string }>();
  const groupOf = new Map<string, string>();
  const members = new Set<string>();
  const nothing = { files: [], folders: [], assets: [] };

  const resolveClientAccess = ({ userId, apiKeyId }: ResolveClientAccessRequest, context: CallContext) => {
    const groupId = groupOf.get(`${context.organisationId()}/${apiKeyId ?? userId ?? ''}`);
    return { ...((groupId && groups.get(groupId)) || nothing), groupIds: groupId === undefined ? [] : [groupId] };
  };
  const resolveClientGroups = ({ groupIds }: ResolveClientGroupsRequest, context: CallContext) => ({
    groupIds: groupIds.filter((id) => groups.get(id)?.organisationId === context.organisationId()),
  });
  const resolveMembers = ({ userIds }: ResolveMembersRequest, context: CallContext) => ({
    members: userIds
      .filter((userId) => members.has(`${context.organisationId()}/${userId}`))
      .map((userId) => ({ userId, name: 'Ada', email: 'ada@people.example', permissionLevel: 'EDITOR' as const })),
  });
  const { address, close } = await standIn(
    identityContract,
    { ClientGroupService: { resolveClientAccess, resolveClientGroups }, MemberService: { resolveMembers } },
    keys,
  );
  return {
    address,
    close,
    add(organisationId: string): string {
      const id = newId();
      groups.set(id, { organisationId, ...nothing });
      return id;
    },
    open: (organisationId: string, groupId: string, lists: Lists) =>
      void groups.set(groupId, { organisationId, ...lists }),
    put: (organisationId: string, groupId: string, who: string) =>
      void groupOf.set(`${organisationId}/${who}`, groupId),
    leave: (_organisationId: string, groupId: string) => void groups.delete(groupId),
    join: (organisationId: string, userId: string) => void members.add(`${organisationId}/${userId}`),
  };
}
