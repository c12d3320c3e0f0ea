import type { Usage } from '../../domain/client-groups/client-group.ts';
import { runningUsage } from '../../domain/client-groups/running-usage.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** What a client group has used in the period that is running. */
export const getClientGroupUsage =
  ({ clientGroups, clock }: IdentityParts) =>
  async (organisationId: string, groupId: string): Promise<Usage> =>
    runningUsage(await clientGroups.get(organisationId, groupId), clock.now());
