import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { clientGroupAccessUpdated, clientGroupArchived, clientGroupUpdated } from './client-group-events.ts';
import type { ClientGroup, ClientGroupAccess, ClientPolicy, Usage } from './client-group.ts';
import { clientGroupIsArchived, defaultClientGroup, policyNotFound } from './errors.ts';

export interface ChangeClientGroup {
  readonly name?: string;
  readonly description?: string;
}

/** Changes the fields given; the same values again change nothing and are no event. */
export const changeClientGroup = (
  group: ClientGroup,
  wanted: ChangeClientGroup,
  at: Date,
): Decision<ClientGroup, IdentityEvent> => clientGroupUpdated(group, { ...group, ...wanted }, at);

/** Hides a group and ends the access of its members. Repeating it is safe. CONFLICT: the default group. */
export function archiveClientGroup(group: ClientGroup, at: Date): Decision<ClientGroup, IdentityEvent> {
  if (group.isDefault) throw defaultClientGroup();
  if (group.archived) return unchanged(group);
  const archived: ClientGroup = { ...group, archived: true, version: group.version + 1n };
  return decided(archived, clientGroupArchived(group, archived, at));
}

/** Takes a group out of the archive. Repeating it is safe. */
export const restoreClientGroup = (group: ClientGroup, at: Date): Decision<ClientGroup, IdentityEvent> =>
  clientGroupUpdated(group, { ...group, archived: false }, at);

/** The groups a change of the default is about; the same object twice when the group is the default already. */
export interface DefaultChange {
  readonly wanted: ClientGroup;
  readonly current: ClientGroup;
}

/** Makes a group the one that new clients belong to. Repeating it is safe. CONFLICT: archived. */
export function makeDefaultClientGroup(groups: DefaultChange, at: Date): Decision<DefaultChange, IdentityEvent> {
  if (groups.wanted.archived) throw clientGroupIsArchived();
  if (groups.wanted.isDefault) return unchanged(groups);
  const former = clientGroupUpdated(groups.current, { ...groups.current, isDefault: false }, at);
  const next = clientGroupUpdated(groups.wanted, { ...groups.wanted, isDefault: true }, at);
  const moved = { wanted: next.state, current: former.state };
  return decided(moved, [...former.events, ...next.events]);
}

/** Sets the whole usage policy. */
export const setClientPolicy = (
  group: ClientGroup,
  policy: ClientPolicy,
  at: Date,
): Decision<ClientGroup, IdentityEvent> => clientGroupUpdated(group, { ...group, policy }, at);

/** Takes the usage policy away. NOT_FOUND: there is none. */
export function removeClientPolicy(group: ClientGroup, at: Date): Decision<ClientGroup, IdentityEvent> {
  if (group.policy === null) throw policyNotFound();
  return clientGroupUpdated(group, { ...group, policy: null }, at);
}

export type ChangeClientGroupAccess = Partial<ClientGroupAccess>;

/** Replaces the access lists given; absent lists stay. Whether there is room is for the store to see. */
export const changeClientGroupAccess = (
  groupId: string,
  access: ClientGroupAccess,
  lists: ChangeClientGroupAccess,
  at: Date,
): Decision<ClientGroupAccess, IdentityEvent> => clientGroupAccessUpdated(groupId, access, { ...access, ...lists }, at);

/**
 * Stores what billing has counted. A version that is not newer changes nothing. No event and no audit entry:
 * usage grows with every request, and billing publishes it where it is counted.
 */
export function recordClientGroupUsage(
  group: ClientGroup,
  usage: Usage,
  version: bigint,
): Decision<ClientGroup, IdentityEvent> {
  if (version <= group.usageVersion) return unchanged(group);
  const next: ClientGroup = { ...group, usage, usageVersion: version };
  return decided(next);
}
