import { DomainError, expiringCache } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import type { PolicyOfGroup } from '../../domain/usage/client-policy.ts';
import type { UsageParts } from './usage-parts.ts';

/**
 * The policy of a group, or of the default one: as identity says, or as it last said while it is away. Leases are rare
 * enough to ask each time, so a changed policy holds from the next lease on.
 */
export const findPolicy = (parts: UsageParts) => {
  const { usage, clientGroups } = parts;
  const remember = rememberPolicies(parts);
  return async ({ organisationId, requestId }: Acting, clientGroupId: string | null): Promise<PolicyOfGroup> => {
    try {
      const found = await clientGroups.policyOf(organisationId, clientGroupId, requestId);
      await remember(organisationId, found, clientGroupId === null);
      return found;
    } catch (error) {
      if (!isAway(error)) throw error;
      const known = await usage.knownPolicy(organisationId, clientGroupId);
      if (!known) throw error;
      return known;
    }
  };
};

/** What was written down is written down anew after this long at the latest, for another replica may have been slower. */
const rememberedMs = 60_000;
const mostGroups = 10_000;

/** Writes down what identity says, for when it is away; what is known to be there already is not written again. */
export function rememberPolicies({ usage, clock }: Pick<UsageParts, 'usage' | 'clock'>) {
  const written = expiringCache<string>({ maxEntries: mostGroups, clock });
  return async (organisationId: string, group: PolicyOfGroup, isDefault: boolean): Promise<void> => {
    const key = `${organisationId} ${isDefault ? '' : group.clientGroupId}`;
    const text = JSON.stringify(group, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    if (written.get(key) === text) return;
    const at = clock.now();
    await usage.rememberPolicy(organisationId, group, isDefault, at);
    written.set(key, text, at.getTime() + rememberedMs);
  };
}

export const isAway = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
