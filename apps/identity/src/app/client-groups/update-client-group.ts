import type { Acting } from '../../domain/acting.ts';
import { changeClientGroup, type ChangeClientGroup } from '../../domain/client-groups/change-client-group.ts';
import type { WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes the fields given of a client group. */
export const updateClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  async (by: Acting, groupId: string, wanted: ChangeClientGroup): Promise<WholeClientGroup> => {
    const at = clock.now();
    await clientGroups.update(by, groupId, (group) => changeClientGroup(group, wanted, at));
    return clientGroups.getWhole(by.organisationId, groupId);
  };
