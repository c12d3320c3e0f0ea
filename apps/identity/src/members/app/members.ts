import type { ActorContext, Clock, Decision, PageRequest } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { acceptInvitation, declineInvitation } from '../domain/answer-invitation.ts';
import { changeMember, type ChangeMember } from '../domain/change-member.ts';
import { inviteMember, type InviteMember } from '../domain/invite-member.ts';
import type { Member, MemberStatus, MemberUser } from '../domain/member.ts';
import type { Members } from '../domain/members.ts';
import { removeMember } from '../domain/remove-member.ts';
import type { Roster } from '../domain/roster.ts';
import { personIn, type Person } from './person.ts';

export interface MemberPorts {
  readonly members: Members;
  readonly clock: Clock;
  readonly newId: () => string;
}

export type MemberUseCases = ReturnType<typeof memberUseCases>;

export function memberUseCases({ members, clock, newId }: MemberPorts) {
  type Answer = (roster: Roster, id: string, user: MemberUser, at: Date) => Decision<Roster, IdentityEvent, Member>;

  const answerInvitation = async (person: Person, invitationId: string, answer: Answer): Promise<Member> => {
    const { id, name, email } = person;
    const organisationId = await members.organisationOfInvitation(invitationId, provenEmail(person));
    return members.update(
      personIn(organisationId, person),
      { memberIds: [invitationId], userId: id, at: clock.now() },
      (roster) => answer(roster, invitationId, { id, name, email }, clock.now()),
    );
  };

  return {
    /** Members and open invitations; removed members only when asked for. */
    listMembers: (organisationId: string, statuses: readonly MemberStatus[], page: PageRequest) =>
      members.list(organisationId, statuses.length === 0 ? presentStatuses : statuses, page),

    getMember: members.get,

    /** The active members among these users. */
    activeMembers: members.activeOf,

    inviteMember: (by: ActorContext, wanted: Omit<InviteMember, 'id'>) =>
      members.update(by, { email: wanted.email, at: clock.now() }, (roster) =>
        inviteMember(roster, { ...wanted, id: newId() }, by.actor, clock.now()),
      ),

    /** Changes a member's level, suspends or reactivates it. */
    updateMember: (by: ActorContext, memberId: string, wanted: ChangeMember) =>
      members.update(by, { memberIds: [memberId], at: clock.now() }, (roster) =>
        changeMember(roster, memberId, wanted, by.actor, clock.now()),
      ),

    /** Removes a member or takes an invitation back. */
    removeMember: (by: ActorContext, memberId: string) =>
      members.update(by, { memberIds: [memberId], at: clock.now() }, (roster) =>
        removeMember(roster, memberId, by.actor, clock.now()),
      ),

    /** The open invitations for a person's own address. */
    listInvitations: (person: Person, page: PageRequest) =>
      members.listInvitations(provenEmail(person), clock.now(), page),

    acceptInvitation: (person: Person, invitationId: string) =>
      answerInvitation(person, invitationId, acceptInvitation),

    declineInvitation: (person: Person, invitationId: string) =>
      answerInvitation(person, invitationId, declineInvitation),
  };
}

/** What "members" means when nobody says otherwise: everybody who belongs or is about to. */
const presentStatuses: readonly MemberStatus[] = ['invited', 'active', 'suspended'];

/** An address that nobody vouches for has no invitations. */
const provenEmail = ({ email, emailVerified }: Person): string => (emailVerified ? email : '');
