import type { Acting } from '../../domain/acting.ts';
import { applySubscription as decide, type ApplySubscription } from '../../domain/organisations/change-organisation.ts';
import type { Organisation } from '../../domain/organisations/organisation.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Takes over what billing says about a subscription; reports may come twice and out of order. */
export const applySubscription =
  ({ organisations, clock }: IdentityParts) =>
  (by: Acting, report: ApplySubscription): Promise<Organisation> => {
    const at = clock.now();
    return organisations.updateKnowingMembers(by, (organisation, activeMembers) =>
      decide(organisation, activeMembers, report, at),
    );
  };
