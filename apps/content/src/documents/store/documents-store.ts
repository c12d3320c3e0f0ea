import { newId, positionText } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import {
  isDuplicate,
  untilFirst,
  withoutLimits,
  type Database,
  type Filter,
  type RecordOf,
} from '@platform-backend/mongo';
import { restrictableStore, visibilityFilter } from '../../access/store/restrictable-store.ts';
import type { Passages } from '../../passages/domain/passage.ts';
import { heldBytesOf, isReserved, isSmall, type FollowUp, type Document } from '../domain/document.ts';
import type { DocumentList, Documents, DueFollowUp, StorageUse } from '../domain/documents.ts';
import { documentExists } from '../domain/errors.ts';
import { labelsOf, metadataOf } from '../domain/metadata.ts';
import { searchChange, sourceOf } from '../domain/source.ts';
import type { documentCollections } from './document-collections.ts';

type Schemas = typeof documentCollections;

/** A document as it is stored: what is absent there is null to everybody else. */
type StoredDocument = Omit<Document, 'collection' | 'metadata' | 'nextPollAt' | 'nextAttemptAt'> & {
  readonly labels?: readonly string[];
  readonly collectionName: string;
  /** `nextPollAt`, under the name that it was stored with first. */
  readonly lookAt?: Date;
  /** `nextAttemptAt`, likewise. */
  readonly workAt?: Date;
  /** The organisation, while there is a `workAt`. */
  readonly workOf?: string;
  /** The same, of a small one. */
  readonly smallWorkOf?: string;
  readonly heldBytes?: number;
};

/** Enough to see that there are too many. */
const COUNTED_DUE = 100_000;

/** No organisation's id has a colon. */
const keyOf = (organisationId: string, id: string): string => `${organisationId}:${id}`;

/** What searches go by, changed in the transaction of the document. */
export type SearchedSources = Pick<Passages, 'hide' | 'relabel'>;

export function documentsStore(database: Database, searched: SearchedSources): Documents {
  const name = 'documents';
  const stored = restrictableStore<StoredDocument, Schemas['documents']>({
    database,
    name,
    outgoing: outgoingEvents('content'),
  });
  const documents = database.model<RecordOf<Schemas['documents']>>(name);
  const followUps = database.model<RecordOf<Schemas['documentFollowUps']>>('documentFollowUps');

  const refOf = ({ _id, organisationId }: { _id: string; organisationId: string }) => ({
    organisationId,
    id: idIn(_id),
  });

  const update: Documents['update'] = (by, id, decision) =>
    stored.update(by, keyOf(by.organisationId, id), (found) => {
      const before = found && documentOf(found);
      const { state, events, result } = decision(before);
      if (state === before) return { state: found, events, result };
      return { state: state && storedOf(by.organisationId, state), events, result };
    });

  return {
    async find(organisationId, id) {
      const found = await stored.find(organisationId, keyOf(organisationId, id));
      return found && documentOf(found);
    },

    async list(organisationId, { order, limit, cursor, includeTotal, after, ...wanted }) {
      const behind = after && positionText({ createdAt: after.createdAt, id: keyOf(organisationId, after.id) });
      const request = { limit, cursor: behind ?? cursor, includeTotal };
      const page = await stored.page(organisationId, request, { filter: filterOf(wanted), order });
      return { ...page, items: page.items.map(documentOf) };
    },

    async olderThan(organisationId, { since, before, collection, except = [] }, request) {
      const by = since === 'CREATED' ? 'createdAt' : 'updatedAt';
      const filter: Filter = {
        [by]: { $lt: before },
        retentionExempt: null,
        ...(collection !== undefined && { collectionName: collection }),
        // By `$nor`, so that the index of the moment is chosen, and not that of collections.
        ...(except.length > 0 && { $nor: [{ collectionName: { $in: [...except] } }] }),
      };
      const page = await stored.page(organisationId, request, { filter, order: 'asc', by });
      return { ...page, items: page.items.map(documentOf) };
    },

    isAnyIn: (organisationId, collection) =>
      database.tenant(organisationId, async () =>
        Boolean(await documents.findOne({ collectionName: collection }, { _id: 1 }).lean().exec()),
      ),

    idsAmong: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const keys = ids.map((id) => keyOf(organisationId, id));
        const found = await documents
          .find({ _id: { $in: keys } }, { _id: 1 })
          .lean()
          .exec();
        return new Set(found.map(({ _id }) => idIn(_id)));
      }),

    storage: (organisationId) =>
      withoutLimits(() =>
        database.tenant(organisationId, async () => {
          const bytes = { $sum: { $ifNull: ['$heldBytes', '$sizeBytes'] } };
          const [all] = await documents
            .aggregate<StorageUse>([{ $group: { _id: null, bytes, documents: { $sum: 1 } } }])
            .exec();
          return { bytes: all?.bytes ?? 0, documents: all?.documents ?? 0 };
        }),
      ),

    update,

    updateWithFollowUp: (by, id, at, decision) =>
      idIsFree(
        database.transaction(by.organisationId, async () => {
          let followUp: FollowUp | undefined;
          const change: { before?: Document | undefined; after?: Document | undefined } = {};
          const result = await update(by, id, (document) => {
            const decided = decision(document);
            ({ followUp } = decided);
            Object.assign(change, { before: document, after: decided.state });
            return decided;
          });
          const { before, after } = change;
          const forSearches = searchChange(before, after);
          if (forSearches === 'hide') await searched.hide(by.organisationId, 'DOCUMENT', [id]);
          else if (forSearches === 'relabel' && after) await searched.relabel(by.organisationId, sourceOf(after));
          if (followUp) await followUps.create([recordOf(by.organisationId, followUp, at)]);
          return result;
        }),
      ),

    nextToProcess: (afterOrganisation, at, { small } = { small: false }) =>
      database.acrossOrganisations(async () => {
        const organisation = small ? 'smallWorkOf' : 'workOf';
        const first = (after: string) =>
          documents
            .findOne({ [organisation]: { $gt: after }, workAt: { $lte: at } }, { _id: 1, organisationId: 1 })
            .sort({ [organisation]: 1, workAt: 1 })
            .lean()
            .exec();
        const found = (await first(afterOrganisation)) ?? (await first(''));
        return found ? refOf(found) : undefined;
      }),

    untilProcessing: (at) => untilFirst(database, { collection: name, field: 'workAt' }, at),

    oldestDue: (what, at) =>
      database.acrossOrganisations(async () => {
        if (what === 'follow_up') {
          const due = await followUps
            .findOne({ dueAt: { $lte: at } }, { dueAt: 1 })
            .sort({ dueAt: 1 })
            .lean()
            .exec();
          return due?.dueAt;
        }
        const due = await documents
          .findOne({ workAt: { $lte: at } }, { workAt: 1 })
          .sort({ workAt: 1 })
          .lean()
          .exec();
        return due?.workAt;
      }),

    countDue: (what, at) =>
      database.acrossOrganisations(() =>
        what === 'follow_up'
          ? followUps
              .countDocuments({ dueAt: { $lte: at } })
              .limit(COUNTED_DUE)
              .exec()
          : documents
              .countDocuments({ workAt: { $lte: at } })
              .limit(COUNTED_DUE)
              .exec(),
      ),

    toPoll: (at, limit) =>
      database.acrossOrganisations(async () => {
        const found = await documents
          .find({ lookAt: { $lte: at } }, { _id: 1, organisationId: 1 })
          .sort({ lookAt: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(refOf);
      }),

    untilPoll: (at) => untilFirst(database, { collection: name, field: 'lookAt' }, at),

    takeFollowUp: (afterOrganisation, at, until) =>
      database.acrossOrganisations(async () => {
        const first = (after: string) =>
          followUps
            .findOneAndUpdate({ organisationId: { $gt: after }, dueAt: { $lte: at } }, { $set: { dueAt: until } })
            .sort({ organisationId: 1, dueAt: 1 })
            .lean()
            .exec();
        const taken = (await first(afterOrganisation)) ?? (afterOrganisation === '' ? null : await first(''));
        if (!taken) return undefined;
        const { _id, organisationId, documentId, objectKeys, againAt = null, copyKey } = taken;
        const due = { id: _id, organisationId, documentId, objectKeys, againAt };
        return copyKey === undefined ? due : { ...due, objectKeys: [copyKey], isCopy: true };
      }),

    noteCopy: ({ organisationId, id }, objectKey, dueAt) =>
      database.tenant(organisationId, async () => {
        const followUp = { documentId: id, objectKeys: [], againAt: null };
        await followUps.create([{ ...recordOf(organisationId, followUp, dueAt), copyKey: objectKey }]);
      }),

    followedUp: ({ id, organisationId }: DueFollowUp, again) =>
      database.tenant(organisationId, async () => {
        if (again) await followUps.updateOne({ _id: id }, { $set: { dueAt: again } }).exec();
        else await followUps.deleteOne({ _id: id }).exec();
      }),

    async removeAll(organisationId) {
      await stored.removeAll(organisationId, {});
      await database.tenant(organisationId, () => followUps.deleteMany({}).exec());
    },
  };
}

/** The id of a new document may be that of one that whoever makes it may not open: it is taken, whatever that is called. */
async function idIsFree<T>(made: Promise<T>): Promise<T> {
  try {
    return await made;
  } catch (error) {
    throw isDuplicate(error) ? documentExists() : error;
  }
}

const recordOf = (organisationId: string, { documentId, objectKeys, againAt }: FollowUp, dueAt: Date) => ({
  _id: newId(),
  ...{ organisationId, documentId, objectKeys: [...objectKeys], dueAt },
  ...(againAt && { againAt }),
});

const idIn = (key: string): string => key.slice(key.indexOf(':') + 1);

const documentOf = ({
  id,
  collectionName,
  lookAt,
  workAt,
  workOf: _organisation,
  smallWorkOf: _ofSmall,
  heldBytes: _held,
  labels,
  ...fields
}: StoredDocument): Document => ({
  ...fields,
  collection: collectionName,
  ...(labels && { metadata: metadataOf(labels) }),
  id: idIn(id),
  nextPollAt: lookAt ?? null,
  nextAttemptAt: workAt ?? null,
});

function storedOf(organisationId: string, document: Document): StoredDocument {
  const { id, collection, metadata, nextPollAt, nextAttemptAt, reservedBytes, ...fields } = document;
  return {
    ...fields,
    ...(reservedBytes !== undefined && isReserved(document) && { reservedBytes }),
    heldBytes: heldBytesOf(document),
    collectionName: collection,
    ...(metadata && { labels: labelsOf(metadata) }),
    id: keyOf(organisationId, id),
    ...(nextPollAt && { lookAt: nextPollAt }),
    ...(nextAttemptAt && {
      workAt: nextAttemptAt,
      workOf: organisationId,
      ...(isSmall(document) && { smallWorkOf: organisationId }),
    }),
  };
}

function filterOf(wanted: Omit<DocumentList, 'order' | 'after' | 'limit' | 'cursor' | 'includeTotal'>) {
  const { status, collection, mediaType, visibility, labels, groupId, createdAfter, createdBefore } = wanted;
  const filter: Filter = {
    ...visibilityFilter(visibility),
    // What is archived says from which status: so the index by time serves, which another one of the status would not.
    ...(status.length > 0 ? { status: { $in: status } } : { archivedFrom: null }),
    ...(collection !== '' && { collectionName: collection }),
    ...(mediaType !== '' && { mediaType }),
    ...(labels.length > 0 && { labels: { $all: [...labels] } }),
    ...(groupId !== '' && { 'access.groups': groupId }),
    ...((createdAfter ?? createdBefore) && {
      createdAt: { ...(createdAfter && { $gt: createdAfter }), ...(createdBefore && { $lt: createdBefore }) },
    }),
  };
  return filter;
}
