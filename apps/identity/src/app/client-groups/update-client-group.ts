import type { Acting } from '../../domain/acting.ts';
import { changeClientGroup, type ChangeClientGroup } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes the fields given of a client group. */
export const updateClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, wanted: ChangeClientGroup): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.update(by, groupId, (group) => changeClientGroup(group, wanted, at));
  };
