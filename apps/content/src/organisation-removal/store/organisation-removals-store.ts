import { newId, serviceActorContext } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import { documentStore, type Database, type RecordOf } from '@platform-backend/mongo';
import { beginRemoval, type OrganisationRemoval, type OrganisationRemovals } from '../domain/organisation-removal.ts';
import type { removalCollections } from './removal-collections.ts';

type Schema = (typeof removalCollections)['organisationRemovals'];

export function organisationRemovalsStore(database: Database): OrganisationRemovals {
  const name = 'organisationRemovals';
  const removals = documentStore<OrganisationRemoval, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);
  return {
    async begin(organisationId, deletedAt) {
      await removals.update(serviceActorContext('content', organisationId, newId()), organisationId, (removal) =>
        beginRemoval(removal, organisationId, deletedAt),
      );
    },
    due: (at, limit) =>
      database.acrossOrganisations(async () => {
        const found = await model
          .find({ dueAt: { $lte: at } }, { _id: 1 })
          .sort({ dueAt: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(({ _id }) => _id);
      }),
    update: removals.update,
  };
}
