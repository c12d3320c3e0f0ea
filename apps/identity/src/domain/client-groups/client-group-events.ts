import { changedFields, unchanged, type Decision, type Fields, type IdentityEvent } from '../identity-event.ts';
import { clientGroupFields, clientMemberFields, clientWorkspaceFields, type ClientGroup } from './client-group.ts';

export const clientGroupCreated = (group: ClientGroup, at: Date): IdentityEvent => ({
  name: 'client_group.created',
  targetId: group.id,
  at,
  data: { client_group_id: group.id, name: group.name, is_default: group.isDefault },
  change: { before: null, after: clientGroupFields(group) },
});

/** Decides for the changed group with the event that says what has changed, or for nothing when nothing has. */
export function clientGroupUpdated(before: ClientGroup, after: ClientGroup, at: Date): Decision<ClientGroup> {
  const change = clientGroupChange(before, after);
  const changed = Object.keys(change.after);
  if (changed.length === 0) return unchanged(before);
  const data = { client_group_id: after.id, changed_fields: changed };
  return {
    state: after,
    events: [{ name: 'client_group.updated', targetId: after.id, at, data, change }],
    result: after,
  };
}

export const clientGroupArchived = (before: ClientGroup, after: ClientGroup, at: Date): IdentityEvent => ({
  name: 'client_group.archived',
  targetId: after.id,
  at,
  data: { client_group_id: after.id },
  change: clientGroupChange(before, after),
});

/** Of members and workspaces only those that differ are shown, not the whole lists. */
function clientGroupChange(before: ClientGroup, after: ClientGroup): { before: Fields; after: Fields } {
  const own = changedFields(clientGroupFields(before), clientGroupFields(after));
  const members = changedItems(before.members.map(clientMemberFields), after.members.map(clientMemberFields));
  const workspaces = changedItems(
    before.workspaces.map(clientWorkspaceFields),
    after.workspaces.map(clientWorkspaceFields),
  );
  return {
    before: {
      ...own.before,
      ...(members && { members: members.before }),
      ...(workspaces && { workspaces: workspaces.before }),
    },
    after: {
      ...own.after,
      ...(members && { members: members.after }),
      ...(workspaces && { workspaces: workspaces.after }),
    },
  };
}

function changedItems(before: readonly Fields[], after: readonly Fields[]) {
  const texts = (items: readonly Fields[]) => new Set(items.map((item) => JSON.stringify(item)));
  const missingIn = (items: readonly Fields[], others: Set<string>) =>
    items.filter((item) => !others.has(JSON.stringify(item)));
  const gone = missingIn(before, texts(after));
  const fresh = missingIn(after, texts(before));
  return gone.length + fresh.length === 0 ? undefined : { before: gone, after: fresh };
}
