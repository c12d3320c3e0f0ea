import type { Acting } from '../../domain/acting.ts';
import { restoreClientGroup as decide } from '../../domain/client-groups/change-client-group.ts';
import type { WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes a client group out of the archive. */
export const restoreClientGroup =
  ({ clientGroups, clock }: IdentityParts) =>
  async (by: Acting, groupId: string): Promise<WholeClientGroup> => {
    const at = clock.now();
    await clientGroups.update(by, groupId, (group) => decide(group, at));
    return clientGroups.getWhole(by.organisationId, groupId);
  };
