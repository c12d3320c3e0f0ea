import type { Acting } from '../../domain/acting.ts';
import { recordClientGroupUsage as decide } from '../../domain/client-groups/change-client-group.ts';
import type { ClientGroup, Usage } from '../../domain/client-groups/client-group.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Stores what billing has counted for a client group; reports may come twice and out of order. */
export const recordClientGroupUsage =
  ({ clientGroups }: IdentityParts) =>
  (by: Acting, groupId: string, usage: Usage, version: bigint): Promise<ClientGroup> =>
    clientGroups.update(by, groupId, (group) => decide(group, usage, version));
