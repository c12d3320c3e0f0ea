import type { Acting } from '../../domain/acting.ts';
import { changeMember, type ChangeMember } from '../../domain/members/change-member.ts';
import type { Member } from '../../domain/members/member.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes a member's level, suspends or reactivates it. */
export const updateMember =
  ({ members, clock }: IdentityParts) =>
  (by: Acting, memberId: string, wanted: ChangeMember): Promise<Member> => {
    const at = clock.now();
    return members.update(by, { memberIds: [memberId] }, (roster) =>
      changeMember(roster, memberId, wanted, by.actor, at),
    );
  };
