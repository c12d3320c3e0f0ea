import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, type Database, type RecordOf } from '@platform-backend/mongo';
import type { RetentionPolicies } from '../domain/retention-policies.ts';
import type { RetentionPolicy, RetentionRule } from '../domain/retention-policy.ts';
import type { retentionCollections } from './retention-collections.ts';

type Schemas = (typeof retentionCollections)['retentionPolicies'];

/** A policy as it is stored. */
type StoredPolicy = Omit<RetentionPolicy, 'collections'> & {
  readonly byCollection: readonly { readonly collectionName: string; readonly rule: RetentionRule | null }[];
};

export function retentionPoliciesStore(database: Database): RetentionPolicies {
  const name = 'retentionPolicies';
  const stored = documentStore<StoredPolicy, Schemas>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schemas>>(name);
  return {
    async find(organisationId) {
      const found = await stored.find(organisationId, organisationId);
      return found && policyOf(found);
    },
    update: (by, decide) =>
      stored.update(by, by.organisationId, (found) => {
        const before = found && policyOf(found);
        const { state, events } = decide(before);
        return { state: state === before ? found : state && storedOf(state), events, result: state };
      }),
    together: (organisationId, work) => database.transaction(organisationId, work),
    takeDue: (at, until) =>
      database.acrossOrganisations(async () => {
        const taken = await model
          .findOneAndUpdate({ dueAt: { $lte: at } }, { $set: { dueAt: until } })
          .sort({ dueAt: 1 })
          .lean()
          .exec();
        return taken?.organisationId;
      }),
    postpone: (organisationId, until, at) =>
      database.tenant(organisationId, async () => {
        await model.updateOne({ _id: organisationId, dueAt: until }, { $set: { dueAt: at } }).exec();
      }),
    untilDue: (at) => untilFirst(database, { collection: name, field: 'dueAt' }, at),
    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}

const policyOf = ({ byCollection, ...policy }: StoredPolicy): RetentionPolicy => ({
  ...policy,
  collections: byCollection.map(({ collectionName, rule }) => ({ collection: collectionName, rule })),
});

const storedOf = ({ collections, ...policy }: RetentionPolicy): StoredPolicy => ({
  ...policy,
  byCollection: collections.map(({ collection, rule }) => ({ collectionName: collection, rule })),
});
