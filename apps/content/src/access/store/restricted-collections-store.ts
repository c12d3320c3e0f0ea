import { outgoingEvents } from '@platform-backend/events';
import { withoutLimits, type Database, type RecordOf } from '@platform-backend/mongo';
import {
  MAX_RESTRICTED_COLLECTIONS,
  type RestrictedCollection,
  type RestrictedCollections,
} from '../domain/collections.ts';
import { tooManyCollections } from '../domain/errors.ts';
import type { accessCollections } from './access-collections.ts';
import { limitedCreation } from './limited-creation.ts';
import { restrictableStore } from './restrictable-store.ts';

type Schemas = typeof accessCollections;

type Stored = Omit<RestrictedCollection, 'collection'> & { readonly id: string; readonly collectionName: string };

const keyOf = (organisationId: string, collection: string): string => `${organisationId}:${collection}`;

const collectionOf = ({ id: _id, collectionName, ...fields }: Stored): RestrictedCollection => ({
  ...fields,
  collection: collectionName,
});

export function restrictedCollectionsStore(database: Database): RestrictedCollections {
  const name = 'restrictedCollections';
  const stored = restrictableStore<Stored, Schemas['restrictedCollections']>({
    database,
    name,
    outgoing: outgoingEvents('content'),
  });
  const model = database.model<RecordOf<Schemas['restrictedCollections']>>(name);
  const organisations = database.model<RecordOf<Schemas['restrictedOrganisations']>>('restrictedOrganisations');
  const limited = database.model<RecordOf<Schemas['limitedCollections']>>('limitedCollections');
  const withinLimit = limitedCreation(database, name);
  const update: RestrictedCollections['update'] = (by, collection, decide) =>
    stored.update(by, keyOf(by.organisationId, collection), (found) => {
      const before = found && collectionOf(found);
      const { state, events, result } = decide(before);
      if (state === before) return { state: found, events, result };
      if (!state) return { state, events, result };
      const { collection: collectionName, ...fields } = state;
      return { state: { ...fields, id: keyOf(by.organisationId, collection), collectionName }, events, result };
    });
  return {
    async find(organisationId, collection) {
      const found = await stored.find(organisationId, keyOf(organisationId, collection));
      return found && collectionOf(found);
    },
    async list(organisationId, request) {
      const page = await stored.page(organisationId, request, { filter: {}, order: 'asc' });
      return { ...page, items: page.items.map(collectionOf) };
    },
    all: (organisationId) =>
      withoutLimits(() =>
        database.tenant(organisationId, async () => {
          const found = await model
            .find({}, { collectionName: 1, readers: 1 })
            // Some more than there are: the version before did not count those that are restricted at once.
            .limit(2 * MAX_RESTRICTED_COLLECTIONS)
            .lean()
            .exec();
          return found.map(({ collectionName, readers = [] }) => ({ collection: collectionName, readers }));
        }),
      ),
    update,
    add: (by, collection, decide) =>
      withinLimit(by.organisationId, { max: MAX_RESTRICTED_COLLECTIONS, refusal: tooManyCollections }, () =>
        update(by, collection, decide),
      ),
    markRestricted: async (organisationId) => {
      await database.tenant(organisationId, () =>
        organisations.updateOne({ _id: organisationId }, { $setOnInsert: { organisationId } }, { upsert: true }).exec(),
      );
    },
    isAnythingRestricted: (organisationId) =>
      database.tenant(organisationId, async () =>
        Boolean(await organisations.findOne({ _id: organisationId }, { _id: 1 }).lean().exec()),
      ),
    async removeAll(organisationId) {
      await stored.removeAll(organisationId, {});
      await database.tenant(organisationId, () => organisations.deleteMany({}).exec());
      await database.tenant(organisationId, () => limited.deleteMany({}).exec());
    },
  };
}
