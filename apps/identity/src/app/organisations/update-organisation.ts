import type { Acting } from '../../domain/acting.ts';
import { changeOrganisation, type ChangeOrganisation } from '../../domain/organisations/change-organisation.ts';
import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** Changes the fields given of the acting caller's organisation. */
export const updateOrganisation =
  ({ organisations, clock }: IdentityParts) =>
  async (by: Acting, wanted: ChangeOrganisation): Promise<OrganisationWithMembers> => {
    const at = clock.now();
    await organisations.update(by, (organisation) => changeOrganisation(organisation, wanted, at));
    return organisations.getWithMembers(by.organisationId);
  };
