import type { Acting } from '../../domain/acting.ts';
import { applySubscription as decide, type ApplySubscription } from '../../domain/organisations/change-organisation.ts';
import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes over what billing says about a subscription; reports may come twice and out of order. */
export const applySubscription =
  ({ organisations, clock }: IdentityParts) =>
  async (by: Acting, report: ApplySubscription): Promise<OrganisationWithMembers> => {
    const at = clock.now();
    await organisations.updateKnowingMembers(by, (organisation, activeMembers) =>
      decide(organisation, activeMembers, report, at),
    );
    return organisations.get(by.organisationId);
  };
