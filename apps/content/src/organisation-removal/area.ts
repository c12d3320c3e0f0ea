import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { removeOrganisations, type RemovalPorts } from './app/remove-organisations.ts';
import { onOrganisationDeleted } from './reactions/on-organisation-deleted.ts';
import { organisationRemovalsStore } from './store/organisation-removals-store.ts';

/** Organisation removal: what is kept of a deleted organisation goes, bytes included, and what still comes of it for a day. */
export const organisationRemovalArea = (
  { storage, clock, logger }: ContentContext,
  { kinds }: Pick<RemovalPorts, 'kinds'>,
) => {
  const removals = organisationRemovalsStore(storage.database);
  return {
    reactions: { 'content-on-organisation-deleted': onOrganisationDeleted(removals) },
    jobs: [
      {
        name: 'the removal of deleted organisations',
        everyMs: 5_000,
        run: () => removeOrganisations({ removals, kinds, clock }, logger),
      },
    ],
    exports: {},
  } satisfies Area<typeof service.declaration>;
};
