import type { Organisation } from '../../domain/organisations/organisation.ts';
import type { IdentityParts } from '../identity-parts.ts';

/** An organisation without its members, for other services. */
export const resolveOrganisation =
  ({ organisations }: IdentityParts) =>
  (organisationId: string): Promise<Organisation> =>
    organisations.get(organisationId);
