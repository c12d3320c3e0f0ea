import { acceptInvitation as decide } from '../../domain/members/answer-invitation.ts';
import type { Member } from '../../domain/members/member.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { actingIn, type Person } from '../person.ts';

/** Makes the invited person an active member. An address nobody vouches for has no invitations. */
export const acceptInvitation =
  ({ members, clock }: IdentityParts) =>
  async (person: Person, invitationId: string): Promise<Member> => {
    const { id, name, email, emailVerified } = person;
    const organisationId = await members.organisationOfInvitation(invitationId, emailVerified ? email : '');
    const at = clock.now();
    return members.update(actingIn(organisationId, person), { memberIds: [invitationId], userId: id }, (roster) =>
      decide(roster, invitationId, { id, name, email }, at),
    );
  };
