import type { Acting } from '../../domain/acting.ts';
import { archiveClientGroup as decide } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Hides a client group and ends the access of its members. */
export const archiveClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.update(by, groupId, (group) => decide(group, at));
  };
