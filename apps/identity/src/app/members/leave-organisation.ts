import type { Acting } from '../../domain/acting.ts';
import type { Member } from '../../domain/members/member.ts';
import { leaveOrganisation as decide } from '../../domain/members/remove-member.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Ends the caller's own membership. */
export const leaveOrganisation =
  ({ members, clock }: IdentityParts) =>
  (by: Acting): Promise<Member> => {
    const at = clock.now();
    return members.update(by, { userId: by.actor.userId }, (roster) => decide(roster, by.actor, at));
  };
