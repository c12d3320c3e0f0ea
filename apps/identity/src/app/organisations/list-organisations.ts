import type { OrganisationOfUser } from '../../domain/organisations/organisations.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** The organisations a user is an active member of. */
export const listOrganisations =
  ({ organisations }: IdentityParts) =>
  (userId: string, page: PageRequest): Promise<Page<OrganisationOfUser>> =>
    organisations.listOfUser(userId, page);
