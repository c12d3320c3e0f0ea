import { newId, type ActorContext, type Clock } from '@platform-backend/core';
import { personIn, type Person } from '../../members/app/person.ts';
import type { Members } from '../../members/domain/members.ts';
import { leaveOrganisation, transferOwnership } from '../../members/domain/remove-member.ts';
import {
  applySubscription,
  changeOrganisation,
  deleteOrganisation,
  type ApplySubscription,
  type ChangeOrganisation,
} from '../domain/change-organisation.ts';
import { foundOrganisation, type FoundOrganisationInput } from '../domain/found-organisation.ts';
import type { Organisations, OrganisationWithMembers } from '../domain/organisations.ts';

export interface OrganisationPorts {
  readonly organisations: Organisations;
  readonly members: Pick<Members, 'update'>;
  readonly clock: Clock;
  readonly newOrganisationId: () => string;
}

export type OrganisationUseCases = ReturnType<typeof organisationUseCases>;

export const organisationUseCases = ({ organisations, members, clock, ...ids }: OrganisationPorts) => ({
  /** Makes an organisation with the caller as its OWNER and a default client group. */
  async createOrganisation(
    founder: Person,
    wanted: Pick<FoundOrganisationInput, 'email' | 'name' | 'imageUrl'>,
  ): Promise<OrganisationWithMembers> {
    const by = personIn(ids.newOrganisationId(), founder);
    const made = { id: by.organisationId, memberId: newId(), groupId: newId() };
    const { id, name, email } = founder;
    const user = { id, name, email };
    const { organisation, owner } = await organisations.add(
      by,
      foundOrganisation({ ...wanted, ...made }, user, clock.now()),
    );
    return { ...organisation, members: [{ id: owner.id, user, level: owner.level, status: owner.status }] };
  },

  listOrganisations: organisations.listOfUser,
  getOrganisation: organisations.getWithMembers,
  /** Without its members, for other services. */
  resolveOrganisation: organisations.get,

  async updateOrganisation(by: ActorContext, wanted: ChangeOrganisation): Promise<OrganisationWithMembers> {
    await organisations.update(by, (organisation) => changeOrganisation(organisation, wanted, clock.now()));
    return organisations.getWithMembers(by.organisationId);
  },

  /** Deletes the organisation of the caller for all its members. */
  deleteOrganisation: (by: ActorContext) =>
    organisations.update(by, (organisation) => deleteOrganisation(organisation, clock.now())),

  /** Takes over what billing says about a subscription; reports may come twice and out of order. */
  applySubscription: (by: ActorContext, report: ApplySubscription) =>
    organisations.update(by, (organisation, activeMembers) =>
      applySubscription(organisation, activeMembers, report, clock.now()),
    ),

  /** Makes another active member OWNER and the caller ADMIN. */
  async transferOwnership(by: ActorContext, memberId: string): Promise<OrganisationWithMembers> {
    const selection = { memberIds: [memberId], userId: by.actor.userId, at: clock.now() };
    await members.update(by, selection, (roster) => transferOwnership(roster, memberId, by.actor, clock.now()));
    return organisations.getWithMembers(by.organisationId);
  },

  /** Ends the caller's own membership. */
  leaveOrganisation: (by: ActorContext) =>
    members.update(by, { userId: by.actor.userId, at: clock.now() }, (roster) =>
      leaveOrganisation(roster, by.actor, clock.now()),
    ),
});
