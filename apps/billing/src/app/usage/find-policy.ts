import { DomainError } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import type { PolicyOfGroup } from '../../domain/usage/client-policy.ts';
import type { UsageParts } from './usage-parts.ts';

/**
 * The policy of a group, or of the default one: as identity says, or as it last said while it is away. Leases are rare
 * enough to ask each time, so a changed policy holds from the next lease on.
 */
export const findPolicy =
  ({ usage, clientGroups, clock }: UsageParts) =>
  async ({ organisationId, requestId }: Acting, clientGroupId: string | null): Promise<PolicyOfGroup> => {
    try {
      const found = await clientGroups.policyOf(organisationId, clientGroupId, requestId);
      await usage.rememberPolicy(organisationId, found, clientGroupId === null, clock.now());
      return found;
    } catch (error) {
      if (!isAway(error)) throw error;
      const known = await usage.knownPolicy(organisationId, clientGroupId);
      if (!known) throw error;
      return known;
    }
  };

const isAway = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
