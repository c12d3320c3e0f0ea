import type { Acting } from '../../domain/acting.ts';
import {
  changeClientWorkspace,
  type ChangeClientWorkspace,
} from '../../domain/client-groups/change-client-workspaces.ts';
import type { ClientWorkspace } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes the fields given of a workspace in a client group. */
export const updateClientWorkspace =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, workspaceId: string, wanted: ChangeClientWorkspace): Promise<ClientWorkspace> => {
    const at = clock.now();
    return clientGroups.workspaces.update(by, groupId, workspaceId, (workspace) =>
      changeClientWorkspace(groupId, workspace, wanted, at),
    );
  };
