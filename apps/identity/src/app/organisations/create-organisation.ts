import type { Acting } from '../../domain/acting.ts';
import { foundOrganisation, type FoundOrganisation } from '../../domain/organisations/found-organisation.ts';
import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { actingIn, type Person } from '../person.ts';

export type CreateOrganisation = Pick<FoundOrganisation, 'email' | 'name' | 'imageUrl'>;

/** Makes an organisation with the caller as its OWNER and a default client group. */
export const createOrganisation =
  ({ organisations, clock, newId, newOrganisationId }: IdentityParts) =>
  async (founder: Person, wanted: CreateOrganisation): Promise<OrganisationWithMembers> => {
    const by: Acting = actingIn(newOrganisationId(), founder);
    const ids = { id: by.organisationId, memberId: newId(), groupId: newId() };
    const { id, name, email } = founder;
    const founded = foundOrganisation({ ...wanted, ...ids }, { id, name, email }, clock.now());
    await organisations.add(by, founded);
    const { organisation, owner } = founded.result;
    return { ...organisation, members: [{ id: owner.id, user: { id, name, email }, level: owner.level }] };
  };
