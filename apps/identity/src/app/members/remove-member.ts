import type { Acting } from '../../domain/acting.ts';
import type { Member } from '../../domain/members/member.ts';
import { removeMember as decide } from '../../domain/members/remove-member.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Removes a member or takes an invitation back. */
export const removeMember =
  ({ members, clock }: IdentityParts) =>
  (by: Acting, memberId: string): Promise<Member> => {
    const at = clock.now();
    return members.update(by, { memberIds: [memberId] }, (roster) => decide(roster, memberId, by.actor, at));
  };
