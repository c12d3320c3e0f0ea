import type { Effect } from '@platform-backend/events';
import type { OrganisationRemovals } from '../domain/organisation-removal.ts';

/** Writes down that an organisation was deleted; there may be much to remove, which repeated work does. */
export const onOrganisationDeleted =
  <Transaction>({ begin }: OrganisationRemovals): Effect<Transaction> =>
  (_transaction, { organisationId, time }) =>
    begin(organisationId, time);
