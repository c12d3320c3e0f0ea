import type { Acting } from '../../domain/acting.ts';
import { makeDefaultClientGroup as decide } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Makes a client group the one that new clients belong to. */
export const makeDefaultClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  (by: Acting, groupId: string): Promise<ClientGroup> => {
    const at = clock.now();
    return clientGroups.updateDefault(by, groupId, (groups) => decide(groups, at));
  };
