import type { Acting } from '../../domain/acting.ts';
import {
  changeClientGroupAccess,
  type ChangeClientGroupAccess,
} from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Replaces the access lists given; absent lists stay. */
export const setClientGroupAccess =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string, lists: ChangeClientGroupAccess): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.update(by, groupId, (group) => changeClientGroupAccess(group, lists, at));
  };
