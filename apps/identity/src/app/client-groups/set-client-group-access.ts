import type { Acting } from '../../domain/acting.ts';
import {
  changeClientGroupAccess,
  type ChangeClientGroupAccess,
} from '../../domain/client-groups/change-client-group.ts';
import type { WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Replaces the access lists given; absent lists stay. */
export const setClientGroupAccess =
  ({ clientGroups, clock }: IdentityParts) =>
  async (by: Acting, groupId: string, lists: ChangeClientGroupAccess): Promise<WholeClientGroup> => {
    const at = clock.now();
    await clientGroups.updateAccess(by, groupId, (access) => changeClientGroupAccess(groupId, access, lists, at));
    return clientGroups.getWhole(by.organisationId, groupId);
  };
