import type { ActorContext } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, type Database, type RecordOf } from '@platform-backend/mongo';
import { limitedCreation } from '../../access/store/limited-creation.ts';
import { labelsOf, metadataOf } from '../../documents/domain/metadata.ts';
import { tooManyImports } from '../domain/errors.ts';
import {
  importChanged,
  MAX_OPEN,
  type DocumentImport,
  type HeldItem,
  type ImportItem,
  type Imports,
  type ImportItemStatus,
  type ItemCounts,
} from '../domain/imports.ts';
import type { importCollections } from './import-collections.ts';

type Schemas = typeof importCollections;
type StoredItem = Omit<RecordOf<Schemas['documentImportItems']>, 'failure'> & Partial<Pick<ImportItem, 'failure'>>;

/** An import as it is stored. */
type StoredImport = Omit<DocumentImport, 'collection' | 'metadata'> & {
  readonly collectionName: string;
  readonly labels: readonly string[];
};

/** Room for so many more that are to be fetched. */
const roomFor = (addresses: number) => ({
  max: MAX_OPEN - addresses + 1,
  refusal: () => tooManyImports({ limit: MAX_OPEN }),
});

/** As many as are removed at a time. */
const REMOVED_AT_ONCE = 50;

export function importsStore(database: Database): Imports {
  const stored = documentStore<StoredImport, Schemas['documentImports']>({
    database,
    name: 'documentImports',
    outgoing: outgoingEvents('content'),
  });
  const imports = database.model<RecordOf<Schemas['documentImports']>>('documentImports');
  const items = database.model<StoredItem>('documentImportItems');

  const withinLimit = limitedCreation(database, 'documentImportItems', (organisationId) => ({
    dueOrganisationId: organisationId,
  }));

  /** Changes an item while this one holds it. */
  const change = async ({ id, holder }: HeldItem, update: object, further: object = {}): Promise<boolean> => {
    const { matchedCount } = await items.updateOne({ _id: id, holder, status: 'FETCHING', ...further }, update).exec();
    return matchedCount === 1;
  };

  const tell = async (
    by: ActorContext,
    made: DocumentImport,
    name: Parameters<typeof importChanged>[0],
    what: Parameters<typeof importChanged>[2],
  ): Promise<void> => {
    if (what.addresses === 0) return;
    const events = [importChanged(name, made, what)];
    await stored.update(by, made.id, (state) => ({ state, events, result: undefined }));
  };

  return {
    async find(organisationId, id) {
      const found = await stored.find(organisationId, id);
      return found && importOf(found);
    },

    async list(organisationId, { order, userId, ...page }) {
      const filter = userId === null ? {} : { userId };
      const found = await stored.page(organisationId, page, { filter, order });
      return { ...found, items: found.items.map(importOf) };
    },

    counts: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const grouped = await items
          .aggregate<{ _id: { importId: string; status: ImportItemStatus }; count: number }>([
            { $match: { importId: { $in: [...ids] } } },
            { $group: { _id: { importId: '$importId', status: '$status' }, count: { $sum: 1 } } },
          ])
          .exec();
        const counts = new Map<string, ItemCounts>();
        for (const { _id, count } of grouped)
          counts.set(_id.importId, { ...counts.get(_id.importId), [_id.status]: count });
        return counts;
      }),

    items: (organisationId, importId, { limit, cursor, status }) =>
      database.tenant(organisationId, async () => {
        const behind = cursor === '' ? {} : { number: { $gt: Number(cursor) } };
        const found = await items
          .find({ importId, ...behind, ...(status.length > 0 && { status: { $in: [...status] } }) })
          .sort({ number: 1 })
          .limit(limit + 1)
          .lean<StoredItem[]>()
          .exec();
        const shown = found.slice(0, limit).map(itemOf);
        return { items: shown, nextCursor: found.length > limit ? String(shown.at(-1)?.number) : '' };
      }),

    create: (by, decision, wanted, also) =>
      withinLimit(by.organisationId, roomFor(wanted.length), async () => {
        const { organisationId } = by;
        await stored.update(by, decision.state.id, () => ({ ...decision, state: storedOf(decision.state) }));
        const open = { organisationId, dueOrganisationId: organisationId, nextAttemptAt: decision.state.createdAt };
        await items.insertMany(wanted.map(({ id: _id, ...item }) => ({ _id, ...item, ...open })));
        return also();
      }),

    cancel: (by, made, at) =>
      database.transaction(by.organisationId, async () => {
        const importId = made.id;
        const waiting = await items
          .updateMany(
            { importId, status: 'QUEUED', begun: false },
            { $set: { status: 'CANCELLED', sealedUrl: '' }, $unset: { nextAttemptAt: '', dueOrganisationId: '' } },
          )
          .exec();
        // Of these there may be a document, or bytes that are coming.
        const begun = await items
          .updateMany(
            { importId, status: { $in: ['QUEUED', 'FETCHING'] }, isCancelled: { $ne: true } },
            { $set: { status: 'QUEUED', isCancelled: true, nextAttemptAt: at }, $unset: { holder: '' } },
          )
          .exec();
        const addresses = waiting.modifiedCount + begun.modifiedCount;
        await tell(by, made, 'document_import.cancelled', { addresses, at });
      }),

    async retry(by, made, at) {
      const { organisationId } = by;
      const failed = { importId: made.id, status: 'FAILED' } as const;
      const wanted = await database.tenant(organisationId, () => items.countDocuments(failed).exec());
      if (wanted === 0) return;
      await withinLimit(organisationId, roomFor(wanted), async () => {
        const again = {
          attempts: 0,
          failure: null,
          nextAttemptAt: at,
          dueOrganisationId: organisationId,
        };
        const { modifiedCount } = await items.updateMany(failed, { $set: { status: 'QUEUED', ...again } }).exec();
        await tell(by, made, 'document_import.retried', { addresses: modifiedCount, at });
      });
    },

    take: ({ organisation: afterOrganisation, except }, at, { holder, until }) =>
      database.acrossOrganisations(async () => {
        const first = (after: string) =>
          items
            .findOneAndUpdate(
              { dueOrganisationId: { $gt: after, $nin: [...except] }, nextAttemptAt: { $lte: at } },
              { $set: { status: 'FETCHING', holder, nextAttemptAt: until }, $inc: { attempts: 1 } },
              { returnDocument: 'after' },
            )
            .sort({ dueOrganisationId: 1, nextAttemptAt: 1 })
            .lean<StoredItem>()
            .exec();
        const taken = (await first(afterOrganisation)) ?? (afterOrganisation === '' ? null : await first(''));
        return taken ? { ...itemOf(taken), organisationId: taken.organisationId, holder } : undefined;
      }),

    untilDue: (at) => untilFirst(database, { collection: 'documentImportItems', field: 'nextAttemptAt' }, at),

    renew: (item, until) =>
      database.tenant(item.organisationId, () => change(item, { $set: { nextAttemptAt: until } })),

    begin: (item, also) =>
      database.transaction(item.organisationId, async () => {
        if (!(await change(item, { $set: { begun: true } }, { begun: item.begun }))) return false;
        await also();
        return true;
      }),

    postpone: (item, { at, counts }, also) =>
      database.transaction(item.organisationId, async () => {
        const back = counts ? {} : { $inc: { attempts: -1 } };
        const queued = { $set: { status: 'QUEUED', nextAttemptAt: at }, $unset: { holder: '' }, ...back };
        // Whoever has it now has room set aside of its own.
        if (await change(item, queued)) await also();
      }),

    end: (item, also) =>
      database.transaction(item.organisationId, async () => {
        if (!(await change(item, { $unset: { nextAttemptAt: '', dueOrganisationId: '' } }))) return undefined;
        const result = await also();
        // What failed may be fetched once more.
        const forgotten = result.status === 'FAILED' ? {} : { sealedUrl: '' };
        await change(item, { $set: { ...result, ...forgotten }, $unset: { holder: '' } });
        return result;
      }),

    async removeOld(before, stopping) {
      let behind = {};
      while (!stopping.aborted) {
        const old = await database.acrossOrganisations(() =>
          imports
            .find({ createdAt: { $lt: before }, ...behind }, { _id: 1, organisationId: 1, createdAt: 1 })
            .sort({ createdAt: 1, _id: 1 })
            .limit(REMOVED_AT_ONCE)
            .lean<{ _id: string; organisationId: string; createdAt: Date }[]>()
            .exec(),
        );
        const last = old.at(-1);
        if (!last) return;
        behind = {
          $or: [{ createdAt: { $gt: last.createdAt } }, { createdAt: last.createdAt, _id: { $gt: last._id } }],
        };
        for (const [organisationId, own] of Map.groupBy(old, (one) => one.organisationId)) {
          const ids = own.map(({ _id }) => _id);
          const open: ImportItemStatus[] = ['QUEUED', 'FETCHING'];
          const openOf = (of: readonly string[]) =>
            database.tenant(organisationId, () =>
              items.distinct('importId', { importId: { $in: [...of] }, status: { $in: open } }).exec(),
            );
          const stillOpen = await openOf(ids);
          const over = ids.filter((id) => !stillOpen.includes(id));
          await database.tenant(organisationId, () =>
            items.deleteMany({ importId: { $in: over }, status: { $nin: open } }).exec(),
          );
          // Of one that was just asked for once more the items that are to be fetched again are there.
          const again = await openOf(over);
          await stored.removeAll(organisationId, { _id: { $in: over.filter((id) => !again.includes(id)) } });
        }
      }
    },

    async removeAll(organisationId) {
      await database.tenant(organisationId, () => items.deleteMany({}).exec());
      await stored.removeAll(organisationId, {});
    },
  };
}

const importOf = ({ collectionName, labels, ...fields }: StoredImport): DocumentImport => ({
  ...fields,
  collection: collectionName,
  metadata: metadataOf(labels),
});

const storedOf = ({ collection, metadata, ...fields }: DocumentImport): StoredImport => ({
  ...fields,
  collectionName: collection,
  labels: labelsOf(metadata),
});

const itemOf = ({ _id: id, failure = null, isCancelled = false, ...stored }: StoredItem): ImportItem => {
  const { importId, number, url, sealedUrl, documentId, name, status, begun, attempts, sizeBytes } = stored;
  return {
    ...{ id, importId, number, url, sealedUrl, documentId, name, status, begun, isCancelled, attempts, sizeBytes },
    failure,
  };
};
