import type { Acting } from '../../domain/acting.ts';
import { transferOwnership as decide } from '../../domain/members/remove-member.ts';
import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Makes another active member OWNER and the caller ADMIN. */
export const transferOwnership =
  ({ members, organisations, clock }: IdentityParts) =>
  async (by: Acting, memberId: string): Promise<OrganisationWithMembers> => {
    const at = clock.now();
    const selection = { memberIds: [memberId], userId: by.actor.userId };
    await members.update(by, selection, (roster) => decide(roster, memberId, by.actor, at));
    return organisations.getWithMembers(by.organisationId);
  };
