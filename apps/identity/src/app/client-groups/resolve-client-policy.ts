import type { ClientGroup } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** The group that usage counts for, with its policy: the one named, or else the default group. */
export const resolveClientPolicy =
  ({ clientGroups }: IdentityParts) =>
  (organisationId: string, groupId: string | null): Promise<ClientGroup> =>
    groupId === null ? clientGroups.getDefault(organisationId) : clientGroups.get(organisationId, groupId);
