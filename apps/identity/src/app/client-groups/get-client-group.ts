import type { WholeClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** A client group with all that belongs to it. */
export const getClientGroup =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, groupId: string): Promise<WholeClientGroup> =>
    clientGroups.getWhole(organisationId, groupId);
