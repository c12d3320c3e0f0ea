import type { Acting } from '../../domain/acting.ts';
import { makeDefaultClientGroup as decide } from '../../domain/client-groups/change-client-group.ts';
import type { WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Makes a client group the one that new clients belong to. */
export const makeDefaultClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  async (by: Acting, groupId: string): Promise<WholeClientGroup> => {
    const at = clock.now();
    await clientGroups.updateDefault(by, groupId, (groups) => decide(groups, at));
    return clientGroups.getWhole(by.organisationId, groupId);
  };
