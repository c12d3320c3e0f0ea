import type { Acting } from '../../domain/acting.ts';
import { addClientWorkspace as decide } from '../../domain/client-groups/change-client-workspaces.ts';
import type { ClientWorkspace } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Adds a workspace to a client group. */
export const addClientWorkspace =
  ({ clientGroups, clock, newId }: IdentityParts) =>
  (by: Acting, groupId: string, wanted: Omit<ClientWorkspace, 'id' | 'createdAt'>): Promise<ClientWorkspace> => {
    const at = clock.now();
    const workspace: ClientWorkspace = { ...wanted, id: newId(), createdAt: at };
    return clientGroups.workspaces.add(by, groupId, decide(groupId, workspace, at));
  };
