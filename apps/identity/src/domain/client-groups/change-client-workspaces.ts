import { conflict, notFound } from '@platform/core';
import type { Decision } from '../identity-event.ts';
import { clientGroupUpdated } from './client-group-events.ts';
import { largestGroup, type ClientGroup, type ClientWorkspace } from './client-group.ts';

/** Adds a workspace to the group. Names need not be unique. CONFLICT: the group is full. */
export function addClientWorkspace(
  group: ClientGroup,
  workspace: ClientWorkspace,
  at: Date,
): Decision<ClientGroup, ClientWorkspace> {
  if (group.workspaces.length >= largestGroup) {
    throw conflict('client_group_full', `A client group has at most ${largestGroup} workspaces`);
  }
  const next: ClientGroup = { ...group, workspaces: [...group.workspaces, workspace] };
  return { ...clientGroupUpdated(group, next, at), result: workspace };
}

export type ChangeClientWorkspace = Partial<Pick<ClientWorkspace, 'name' | 'description' | 'accessLevel'>>;

/** Changes the fields given. NOT_FOUND: no such workspace in this group. */
export function changeClientWorkspace(
  group: ClientGroup,
  workspaceId: string,
  wanted: ChangeClientWorkspace,
  at: Date,
): Decision<ClientGroup, ClientWorkspace> {
  const changed: ClientWorkspace = { ...clientWorkspaceOf(group, workspaceId), ...wanted };
  const workspaces = group.workspaces.map((workspace) => (workspace.id === workspaceId ? changed : workspace));
  return { ...clientGroupUpdated(group, { ...group, workspaces }, at), result: changed };
}

/** Takes a workspace out of the group. NOT_FOUND: no such workspace in this group, or removed already. */
export function removeClientWorkspace(
  group: ClientGroup,
  workspaceId: string,
  at: Date,
): Decision<ClientGroup, ClientWorkspace> {
  const removed = clientWorkspaceOf(group, workspaceId);
  const workspaces = group.workspaces.filter(({ id }) => id !== workspaceId);
  return { ...clientGroupUpdated(group, { ...group, workspaces }, at), result: removed };
}

function clientWorkspaceOf(group: ClientGroup, workspaceId: string): ClientWorkspace {
  const workspace = group.workspaces.find(({ id }) => id === workspaceId);
  if (!workspace) throw notFound('Workspace');
  return workspace;
}
