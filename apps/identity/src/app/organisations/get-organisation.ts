import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** An organisation with its members. */
export const getOrganisation =
  ({ organisations }: IdentityParts) =>
  (organisationId: string): Promise<OrganisationWithMembers> =>
    organisations.getWithMembers(organisationId);
