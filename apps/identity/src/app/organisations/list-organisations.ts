import type { OrganisationWithMembers } from '../../domain/organisations/organisations.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** The organisations a user is an active member of. */
export const listOrganisations =
  ({ organisations }: IdentityParts) =>
  (userId: string, page: PageRequest): Promise<Page<OrganisationWithMembers>> =>
    organisations.listOfUser(userId, page);
