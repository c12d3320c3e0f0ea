import { newId } from '@platform/core';
import { storedVector, vectorOf, type Database, type mongo } from '@platform/mongo';
import type { PassageReference, PassageStore, StoredPassage, StoredSource } from '../domain/search/passage-store.ts';
import type { Source, SourceKind } from '../domain/search/passage.ts';
import { EVERYBODY } from './search-collections.ts';

interface SourceDocument {
  readonly _id: string;
  readonly organisationId: string;
  readonly kind: SourceKind;
  readonly sourceId: string;
  readonly title: string;
  readonly createdAt: Date;
  readonly collectionName?: string;
  readonly mediaType?: string;
  readonly memberIds?: readonly string[];
  readonly isPresent: boolean;
  readonly generation?: string;
  readonly model?: string;
  readonly passages?: number;
  readonly changedAt: Date;
  readonly removedAt?: Date;
  readonly latest: string;
  readonly pending?: readonly { readonly generation: string; readonly since: Date }[];
  readonly takenUntil: Date;
}

interface PassageDocument {
  readonly _id: string;
  readonly source: string;
  readonly generation: string;
  readonly ordinal: number;
  readonly text: string;
  readonly page?: number;
  readonly start: number;
  readonly end: number;
  readonly vector?: mongo.Binary;
  readonly model?: string;
}

/** As long as a replica may take for the vectors of one source, and what a killed one costs. */
const TAKEN_MS = 120_000;
/** How many sources are tidied up at a time. */
const ROUND = 100;
const NEVER = new Date(0);

/**
 * Sources and their passages. A source has its passages by the name of a set, so that another set takes their place by one
 * write; what is being made is noted down before, so that nothing of it stays behind when its process is killed.
 */
export function passagesStore(database: Database): PassageStore {
  const sources = database.model<SourceDocument>('searchSources');
  const passages = database.model<PassageDocument>('passages');

  const removeSet = async (generation: string): Promise<void> => {
    await passages.deleteMany({ generation }).exec();
  };
  const forget = async (key: string, generation: string): Promise<void> => {
    await removeSet(generation);
    await sources.updateOne({ _id: key }, { $pull: { pending: { generation } } }).exec();
    await sources.updateOne({ _id: key, pending: { $size: 0 } }, { $unset: { pending: 1 } }).exec();
  };

  return {
    begin: (organisationId, source, at) =>
      database.tenant(organisationId, async () => {
        const generation = newId();
        const first = { ...fieldsOf(source), isPresent: false, changedAt: at, takenUntil: NEVER };
        await sources
          .updateOne(
            { _id: keyOf(organisationId, source.kind, source.id) },
            { $setOnInsert: first, $set: { latest: generation }, $push: { pending: { generation, since: at } } },
            { upsert: true },
          )
          .exec();
        return generation;
      }),

    add: (organisationId, source, generation, added) =>
      database.tenant(organisationId, async () => {
        const key = keyOf(organisationId, source.kind, source.id);
        const { set } = repeatedOf(source);
        await passages.insertMany(added.map((passage) => ({ ...set, ...documentOf(key, generation, passage) })));
      }),

    publish: (organisationId, { generation, model, passages: count, ...source }, at) =>
      database.tenant(organisationId, async () => {
        const key = keyOf(organisationId, source.kind, source.id);
        const { set, unset } = changesTo(source);
        const before = await sources
          .findOneAndUpdate(
            { _id: key, latest: generation },
            {
              $set: { ...set, isPresent: true, generation, model, passages: count, changedAt: at, takenUntil: NEVER },
              $unset: { ...unset, removedAt: 1 },
            },
          )
          .lean()
          .exec();
        if (!before) {
          await forget(key, generation);
          return false;
        }
        if (before.generation !== undefined && before.generation !== generation) await removeSet(before.generation);
        await sources.updateOne({ _id: key }, { $pull: { pending: { generation } } }).exec();
        await sources.updateOne({ _id: key, pending: { $size: 0 } }, { $unset: { pending: 1 } }).exec();
        return true;
      }),

    giveUp: (organisationId, { kind, id }, generation) =>
      database.tenant(organisationId, () => forget(keyOf(organisationId, kind, id), generation)),

    describe: (organisationId, source, at) =>
      database.tenant(organisationId, async () => {
        const { set, unset } = changesTo(source);
        const key = keyOf(organisationId, source.kind, source.id);
        await sources
          .updateOne({ _id: key, isPresent: true }, { $set: { ...set, changedAt: at }, $unset: unset })
          .exec();
        const repeated = repeatedOf(source);
        await passages.updateMany({ source: key }, { $set: repeated.set, $unset: repeated.unset }).exec();
      }),

    remove: (organisationId, kind, ids, at) =>
      database.tenant(organisationId, async () => {
        const keys = ids.map((id) => keyOf(organisationId, kind, id));
        await sources
          .updateMany(
            { _id: { $in: keys } },
            {
              $set: { isPresent: false, changedAt: at, removedAt: at, latest: '' },
              $unset: { generation: 1, model: 1, passages: 1 },
            },
          )
          .exec();
        await passages.deleteMany({ source: { $in: keys } }).exec();
      }),

    find: (organisationId, kind, id) =>
      database.tenant(organisationId, async () => {
        const found = await sources
          .findOne({ _id: keyOf(organisationId, kind, id), isPresent: true })
          .lean()
          .exec();
        return found ? sourceOf(found) : undefined;
      }),

    page: (organisationId, generation, from, limit) =>
      database.tenant(organisationId, async () => {
        const found = await passages
          .find({ generation, ordinal: { $gte: from } }, { vector: 0 })
          .sort({ ordinal: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(passageOf);
      }),

    passages: (organisationId, generations) =>
      database.tenant(organisationId, async () => {
        const found = await passages
          .find({ generation: { $in: generations } })
          .sort({ generation: 1, ordinal: 1 })
          // A few hundred KiB are decoded in one piece.
          .batchSize(200)
          .lean()
          .exec();
        return found.map((document) => ({ ...passageOf(document), generation: document.generation }));
      }),

    lookUp: (organisationId, references, { vectors } = { vectors: false }) =>
      database.tenant(organisationId, async () => {
        const ids = references.map(passageId);
        const found = await passages
          .find({ _id: { $in: ids } }, vectors ? {} : { vector: 0 })
          .lean()
          .exec();
        const keys = [...new Set(found.map(({ source }) => source))];
        const present = await sources
          .find({ _id: { $in: keys }, isPresent: true })
          .lean()
          .exec();
        const byKey = new Map(present.map((source) => [source._id, source]));
        return found.flatMap((document) => {
          const source = byKey.get(document.source);
          const isCurrent = source?.generation === document.generation;
          return source && isCurrent ? [{ source: sourceOf(source), passage: passageOf(document) }] : [];
        });
      }),

    newest: (organisationId, limit, before) =>
      database.tenant(organisationId, async () => {
        const found = await sources
          .find({ isPresent: true, ...(before && olderThan(organisationId, before)) })
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(sourceOf);
      }),

    changes: (organisationId, since, limit, behind) =>
      database.tenant(organisationId, async () => {
        const found = await sources
          .find({
            changedAt: { $gte: behind?.changedAt ?? since },
            ...(behind && { $or: [{ changedAt: { $gt: behind.changedAt } }, { _id: { $gt: behind.key } }] }),
          })
          .sort({ changedAt: 1, _id: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map((document) => ({
          kind: document.kind,
          id: document.sourceId,
          position: { changedAt: document.changedAt, key: document._id },
          ...(document.isPresent && { present: sourceOf(document) }),
        }));
      }),

    takeStale: (model, at) =>
      database.acrossOrganisations(async () => {
        const taken = await sources
          .findOneAndUpdate(
            { isPresent: true, model: { $gte: '', $ne: model }, takenUntil: { $lt: at } },
            { $set: { model: '', takenUntil: new Date(at.getTime() + TAKEN_MS), changedAt: at } },
            { returnDocument: 'after' },
          )
          .lean()
          .exec();
        return taken ? { organisationId: taken.organisationId, source: sourceOf(taken) } : undefined;
      }),

    setVectors: (organisationId, generation, model, vectors) =>
      database.tenant(organisationId, async () => {
        const writes = vectors.map(({ ordinal, vector }) => ({
          updateOne: {
            filter: { _id: passageId({ generation, ordinal }) },
            update: { $set: { vector: storedVector(vector), model } },
          },
        }));
        await passages.bulkWrite(writes);
      }),

    setModel: (organisationId, { kind, id, generation }, model, at) =>
      database.tenant(organisationId, async () => {
        await sources
          .updateOne(
            { _id: keyOf(organisationId, kind, id), generation },
            { $set: { model, changedAt: at, takenUntil: NEVER } },
          )
          .exec();
      }),

    async tidy(before) {
      const abandoned = await database.acrossOrganisations(() =>
        sources
          .find({ 'pending.since': { $lt: before } })
          .limit(ROUND)
          .lean()
          .exec(),
      );
      for (const { _id, organisationId, pending = [] } of abandoned)
        await database.tenant(organisationId, async () => {
          for (const { generation, since } of pending) if (since < before) await forget(_id, generation);
        });
      // One that is being made again has a set among `pending`; until that is settled it stays.
      const isForgotten = { removedAt: { $lt: before }, pending: { $exists: false } };
      const removed = await database.acrossOrganisations(() => sources.find(isForgotten).limit(ROUND).lean().exec());
      for (const { _id, organisationId } of removed)
        await database.transaction(organisationId, async () => {
          const { deletedCount } = await sources.deleteOne({ _id, ...isForgotten }).exec();
          if (deletedCount === 1) await passages.deleteMany({ source: _id }).exec();
        });
    },

    removeAll: (organisationId) =>
      database.tenant(organisationId, async () => {
        await sources.deleteMany({}).exec();
        await passages.deleteMany({}).exec();
      }),
  };
}

const keyOf = (organisationId: string, kind: SourceKind, id: string): string => `${organisationId}/${kind}/${id}`;
const passageId = ({ generation, ordinal }: PassageReference): string => `${generation}/${String(ordinal)}`;

function olderThan(organisationId: string, { createdAt, kind, id }: StoredSource) {
  const key = keyOf(organisationId, kind, id);
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: key } }],
  };
}

const fieldsOf = ({ id, collection, memberIds, ...fields }: Source) => ({
  ...fields,
  sourceId: id,
  ...(collection !== undefined && { collectionName: collection }),
  ...(memberIds && { memberIds: [...memberIds] }),
});

/** All that is said of a source: what is not said any more goes. */
function changesTo(source: Source) {
  const { kind, title, createdAt, ...others } = fieldsOf(source);
  const optional = ['collectionName', 'mediaType', 'memberIds'];
  const unset = Object.fromEntries(optional.filter((name) => !(name in others)).map((name) => [name, 1 as const]));
  return { set: { kind, title, createdAt, ...others }, unset };
}

const sourceOf = (document: SourceDocument): StoredSource => ({
  kind: document.kind,
  id: document.sourceId,
  title: document.title,
  createdAt: document.createdAt,
  generation: document.generation ?? '',
  model: document.model ?? '',
  passages: document.passages ?? 0,
  ...(document.collectionName !== undefined && { collection: document.collectionName }),
  ...(document.mediaType !== undefined && { mediaType: document.mediaType }),
  ...(document.memberIds && { memberIds: document.memberIds }),
});

/** What passages repeat of their source, for filters of MongoDB's own search. */
function repeatedOf(source: Source) {
  const { set, unset } = changesTo(source);
  const { memberIds = [EVERYBODY], ...others } = set as typeof set & { memberIds?: readonly string[] };
  const { memberIds: _everybody, ...gone } = unset;
  return { set: { ...others, readers: [...memberIds] }, unset: gone };
}

const documentOf = (source: string, generation: string, { vector, ...passage }: StoredPassage): PassageDocument => ({
  ...passage,
  _id: passageId({ generation, ordinal: passage.ordinal }),
  source,
  generation,
  ...(vector && { vector: storedVector(vector) }),
});

const passageOf = ({ ordinal, text, page, start, end, vector, model }: PassageDocument): StoredPassage => ({
  ordinal,
  text,
  start,
  end,
  ...(page !== undefined && { page }),
  ...(vector && { vector: vectorOf(vector) }),
  ...(model !== undefined && { model }),
});
