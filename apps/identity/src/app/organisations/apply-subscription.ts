import type { Acting } from '../../domain/acting.ts';
import { applySubscription as decide } from '../../domain/organisations/change-organisation.ts';
import type { Subscription } from '../../domain/organisations/organisation.ts';
import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes over what billing says about a subscription; reports may come twice and out of order. */
export const applySubscription =
  ({ organisations, clock }: IdentityParts) =>
  async (by: Acting, subscription: Subscription): Promise<OrganisationWithMembers> => {
    const at = clock.now();
    await organisations.update(by, (organisation) => decide(organisation, subscription, at));
    return organisations.get(by.organisationId);
  };
