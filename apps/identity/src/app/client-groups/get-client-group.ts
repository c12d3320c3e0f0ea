import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** A client group with all that belongs to it. */
export const getClientGroup =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, groupId: string): Promise<ClientGroup> =>
    clientGroups.get(organisationId, groupId);
