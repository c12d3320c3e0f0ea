import { newId } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import { pageOf, type Database, type RecordOf } from '@platform-backend/mongo';
import { restrictableStore, visibilityFilter } from '../../access/store/restrictable-store.ts';
import type { Passages } from '../../passages/domain/passage.ts';
import { versionAfter } from '../domain/convention-version.ts';
import type { Convention } from '../domain/convention.ts';
import type { Conventions, ConventionToIndex } from '../domain/conventions.ts';
import { sourceOf } from '../domain/source.ts';
import type { conventionCollections } from './convention-collections.ts';

type Schemas = typeof conventionCollections;
type VersionRecord = RecordOf<Schemas['conventionVersions']>;
type NoteRecord = RecordOf<Schemas['conventionsToIndex']>;

/** With what makes a convention unfindable, or findable by others, in the transaction of the change. */
export function conventionsStore(database: Database, searched: Pick<Passages, 'hide' | 'relabel'>): Conventions {
  const conventions = restrictableStore<Convention, Schemas['conventions']>({
    database,
    name: 'conventions',
    outgoing: outgoingEvents('content'),
  });
  const documents = database.model<RecordOf<Schemas['conventions']>>('conventions');
  const versions = database.model<VersionRecord>('conventionVersions');
  const toIndex = database.model<NoteRecord>('conventionsToIndex');

  return {
    find: conventions.find,
    findAll: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const found = await documents
          .find({ _id: { $in: ids } })
          .lean()
          .exec();
        return found.map(({ _id, title, content, createdAt, updatedAt, access, createdBy, createdByKey }) => ({
          id: _id,
          ...{ title, content, createdAt, updatedAt },
          ...(access && { access }),
          ...(createdBy !== undefined && { createdBy }),
          ...(createdByKey !== undefined && { createdByKey }),
        }));
      }),
    list: (organisationId, { order, title, visibility, createdAfter, createdBefore, ...page }) => {
      const createdAt = { ...(createdAfter && { $gt: createdAfter }), ...(createdBefore && { $lt: createdBefore }) };
      const filter = {
        ...visibilityFilter(visibility),
        ...(title !== undefined && { title }),
        ...(Object.keys(createdAt).length > 0 && { createdAt }),
      };
      return conventions.page(organisationId, page, { filter, order });
    },
    history: (organisationId, { conventionId, order, ...page }) =>
      database.tenant(organisationId, () =>
        pageOf(versions, page, { filter: { conventionId }, order, read: (found) => found.map(versionOf) }),
      ),

    update: (by, id, decide, indexAfter) =>
      database.transaction(by.organisationId, async () => {
        const changed: { before?: Convention | undefined; after?: Convention | undefined } = {};
        const result = await conventions.update(by, id, (before) => {
          const decision = decide(before);
          Object.assign(changed, { before, after: decision.state });
          return decision;
        });
        const { before, after } = changed;
        if (before === after) return result;
        const version = after && versionAfter(by, newId(), before, after);
        if (version) {
          const { id: _id, ...fields } = version;
          await versions.insertMany([{ ...fields, _id }]);
        } else if (after) {
          // Before its passages, which follow.
          await searched.relabel(by.organisationId, sourceOf(after));
        } else {
          await versions.deleteMany({ conventionId: id }).exec();
          await searched.hide(by.organisationId, 'CONVENTION', [id]);
        }
        const note = { $set: { change: newId(), dueAt: indexAfter }, $setOnInsert: { takenUntil: new Date(0) } };
        await toIndex.updateOne({ _id: id }, note, { upsert: true }).exec();
        return result;
      }),

    takeToIndex: (organisationId, id, at, until) =>
      database.tenant(organisationId, async () => {
        const taken = await toIndex
          .findOneAndUpdate({ _id: id, takenUntil: { $lte: at } }, { $set: { takenUntil: until } })
          .lean()
          .exec();
        return taken ? noteOf(taken) : undefined;
      }),
    takeDue: (at, until) =>
      database.acrossOrganisations(async () => {
        const taken = await toIndex
          .findOneAndUpdate({ dueAt: { $lte: at }, takenUntil: { $lte: at } }, { $set: { takenUntil: until } })
          .lean()
          .exec();
        return taken ? noteOf(taken) : undefined;
      }),
    indexed: ({ organisationId, conventionId, change }) =>
      database.tenant(organisationId, async () => {
        const { deletedCount } = await toIndex.deleteOne({ _id: conventionId, change }).exec();
        return deletedCount === 1;
      }),
    giveBack: ({ organisationId, conventionId }) =>
      database.tenant(organisationId, async () => {
        await toIndex.updateOne({ _id: conventionId }, { $set: { takenUntil: new Date(0) } }).exec();
      }),

    removeAll: async (organisationId) => {
      await conventions.removeAll(organisationId, {});
      await database.tenant(organisationId, async () => {
        await versions.deleteMany({}).exec();
        await toIndex.deleteMany({}).exec();
      });
    },
  };
}

const versionOf = ({ _id, conventionId, createdAt, actor, changedFields, title, content }: VersionRecord) => ({
  id: _id,
  ...{ conventionId, createdAt, actor, changedFields, title, content },
});

const noteOf = ({ organisationId, _id, change }: NoteRecord): ConventionToIndex => ({
  organisationId,
  conventionId: _id,
  change,
});
