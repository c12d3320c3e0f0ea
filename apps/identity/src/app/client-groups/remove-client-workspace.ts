import type { Acting } from '../../domain/acting.ts';
import { removeClientWorkspace as decide } from '../../domain/client-groups/change-client-workspaces.ts';
import type { ClientWorkspace } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes a workspace out of a client group. */
export const removeClientWorkspace =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, workspaceId: string): Promise<ClientWorkspace> => {
    const at = clock.now();
    return clientGroups.workspaces.remove(by, groupId, workspaceId, (workspace) => decide(groupId, workspace, at));
  };
