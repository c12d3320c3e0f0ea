import type { Decision } from '../identity-event.ts';
import { partAdded, partRemoved, partUpdated } from './client-group-events.ts';
import { clientWorkspaceFields, type ClientWorkspace } from './client-group.ts';

/** Adds a workspace to a group. Names need not be unique. Whether there is room is for the store to see. */
export const addClientWorkspace = (
  groupId: string,
  workspace: ClientWorkspace,
  at: Date,
): Decision<ClientWorkspace> => ({
  state: workspace,
  events: [partAdded(groupId, 'workspaces', clientWorkspaceFields(workspace), at)],
  result: workspace,
});

export type ChangeClientWorkspace = Partial<Pick<ClientWorkspace, 'name' | 'description' | 'accessLevel'>>;

/** Changes the fields given; the same values again change nothing and are no event. */
export function changeClientWorkspace(
  groupId: string,
  workspace: ClientWorkspace,
  wanted: ChangeClientWorkspace,
  at: Date,
): Decision<ClientWorkspace> {
  const changed: ClientWorkspace = { ...workspace, ...wanted };
  const fields = { before: clientWorkspaceFields(workspace), after: clientWorkspaceFields(changed) };
  const events = partUpdated(groupId, 'workspaces', fields, at);
  return { state: events.length === 0 ? workspace : changed, events, result: changed };
}

/** Takes a workspace out of a group. */
export const removeClientWorkspace = (
  groupId: string,
  workspace: ClientWorkspace,
  at: Date,
): Decision<ClientWorkspace> => ({
  state: workspace,
  events: [partRemoved(groupId, 'workspaces', clientWorkspaceFields(workspace), at)],
  result: workspace,
});
