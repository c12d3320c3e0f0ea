import { decided, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { clientGroupCreated } from './client-group-events.ts';
import type { ClientGroup, WholeClientGroup } from './client-group.ts';

export interface CreateClientGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Only for the group an organisation starts with; later `makeDefaultClientGroup` decides. */
  readonly isDefault?: boolean;
}

/** Makes an empty client group. Names need not be unique. */
export function createClientGroup(
  wanted: CreateClientGroup,
  at: Date,
): Decision<ClientGroup, IdentityEvent, WholeClientGroup> {
  const group: ClientGroup = {
    id: wanted.id,
    name: wanted.name,
    description: wanted.description,
    archived: false,
    isDefault: wanted.isDefault ?? false,
    memberCount: 0,
    workspaceCount: 0,
    policy: null,
    usage: {},
    usageVersion: 0n,
    version: 1n,
    createdAt: at,
  };
  const nothingInIt = { members: [], workspaces: [], assetAccess: [], folderAccess: [], fileAccess: [] };
  return decided(group, clientGroupCreated(group, at), { ...group, ...nothingInIt });
}
