import type { Acting } from '../../domain/acting.ts';
import { inviteMember as decide, type InviteMember } from '../../domain/members/invite-member.ts';
import type { Member } from '../../domain/members/member.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Invites a person by e-mail. */
export const inviteMember =
  ({ members, clock, newId }: IdentityParts) =>
  (by: Acting, wanted: Omit<InviteMember, 'id'>): Promise<Member> => {
    const [id, at] = [newId(), clock.now()];
    return members.update(by, { email: wanted.email }, (roster) => decide(roster, { ...wanted, id }, by.actor, at));
  };
