import { newId } from '@platform-backend/core';
import { withoutLimits, type Database } from '@platform-backend/mongo';
import { EVERYBODY } from '../../access/domain/opening.ts';
import type { PassageStore } from '../domain/passage-store.ts';
import type { Source } from '../domain/passage.ts';
import { changingModels, NEVER } from './changing-models.ts';
import {
  changesTo,
  recordOf,
  fieldsOf,
  isEmbeddedByName,
  keyOf,
  olderThan,
  passageId,
  passageOf,
  renamed,
  repeatedOf,
  sourceOf,
  type PassageRecord,
  type SearchModelRecord,
  type SourceRecord,
} from './passage-records.ts';

/** How many sources are tidied up at a time. */
const ROUND = 100;

/** What was said of a source before its set was put in place. */
const SETTLED = { removedAt: 1, refusals: 1, nextModel: 1, nextGeneration: 1, formerNameModel: 1 } as const;

/**
 * Sources and their passages. A source has its passages by the name of a set, so that another set takes their place by one
 * write; what is being made is noted down before, so that nothing of it stays behind when its process is killed.
 */
export function passagesStore(database: Database): PassageStore {
  const sources = database.model<SourceRecord>('searchSources');
  const passages = database.model<PassageRecord>('passages');
  const models = database.model<SearchModelRecord>('searchModels');

  /** The sets are noted down no longer as being made or left. */
  const settle = async (key: string, generations: readonly string[]): Promise<void> => {
    const settled = { generation: { $in: [...generations] } };
    await sources.updateOne({ _id: key }, { $pull: { pending: settled } }).exec();
    await sources.updateOne({ _id: key, pending: { $size: 0 } }, { $unset: { pending: 1 } }).exec();
  };
  const forget = async (key: string, generation: string): Promise<void> => {
    await passages.deleteMany({ generation }).exec();
    await settle(key, [generation]);
  };
  /** It is wanted no more, or was left long ago: it goes, unless it is the one that the source has. */
  const abandon = async (key: string, generation: string): Promise<void> => {
    const unpublished = { _id: key, latest: generation, generation: { $ne: generation } };
    // From here on nobody publishes it.
    await sources.updateOne(unpublished, { $set: { latest: '' } }).exec();
    const isCurrent = await sources.findOne({ _id: key, generation }, { _id: 1 }).lean().exec();
    await (isCurrent ? settle(key, [generation]) : forget(key, generation));
  };

  const relabel: PassageStore['relabel'] = (organisationId, source, clock) =>
    database.tenant(organisationId, async () => {
      const { set, unset } = changesTo(source);
      const key = keyOf(organisationId, source.kind, source.id);
      const present = await sources.findOne({ _id: key, isPresent: true }).lean().exec();
      if (!present) return;
      const { title, model = '', formerNameModel = model } = present;
      const other = isEmbeddedByName(source) && title !== source.title ? renamed(formerNameModel) : undefined;
      const changes = {
        $set: { ...set, ...other?.set, changedAt: clock.now() },
        $unset: { ...unset, ...other?.unset },
      };
      await sources.updateOne({ _id: key, isPresent: true }, changes).exec();
    });
  const hide: PassageStore['hide'] = (organisationId, kind, ids, clock) =>
    database.tenant(organisationId, async () => {
      const keys = ids.map((id) => keyOf(organisationId, kind, id));
      // The name of the set stays, for whoever removes it.
      const at = clock.now();
      const hidden = { isPresent: false, changedAt: at, removedAt: at, latest: '' };
      await sources.updateMany({ _id: { $in: keys } }, { $set: hidden }).exec();
    });

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
        await passages.insertMany(added.map((passage) => ({ ...set, ...recordOf(key, generation, passage) })));
      }),

    publish: (organisationId, { generation, model, passages: count, ...source }, clock, present) =>
      database.tenant(organisationId, async () => {
        const key = keyOf(organisationId, source.kind, source.id);
        // Since this one was begun no other is published: which it takes the place of stays what it is.
        const last = await sources.findOne({ _id: key }, { generation: 1 }).lean().exec();
        const left = last?.generation === generation ? undefined : last?.generation;
        const replace = (described: Source) => {
          const { set, unset } = changesTo(described);
          // Somebody has renamed it while it was embedded.
          const isRenamed = isEmbeddedByName(source) && described.title !== source.title;
          const made = isRenamed ? renamed(model).set : { model };
          const { formerNameModel: _made, ...settled } = SETTLED;
          const at = clock.now();
          return sources
            .findOneAndUpdate(
              { _id: key, latest: generation },
              {
                $set: {
                  ...set,
                  ...made,
                  isPresent: true,
                  generation,
                  passages: count,
                  changedAt: at,
                  takenUntil: NEVER,
                },
                $unset: { ...unset, ...(isRenamed ? settled : SETTLED) },
                // Whoever is killed before it is removed leaves it to `tidy`.
                ...(left !== undefined && { $push: { pending: { generation: left, since: at } } }),
              },
            )
            .lean()
            .exec();
        };
        // Whoever takes the source away or restricts it in the meantime writes what is read and what is written here: one of both
        // goes first.
        const replacePresent = async () => {
          const described = await present?.();
          if (!described) return null;
          const replaced = await replace(described);
          // Nothing stays of what was written with it.
          if (!replaced) throw new Superseded();
          return replaced;
        };
        const before = present
          ? await database.transaction(organisationId, replacePresent).catch(nullWhereSuperseded)
          : await replace(source);
        if (!before) {
          await forget(key, generation);
          return false;
        }
        if (left !== undefined) await passages.deleteMany({ generation: left }).exec();
        await settle(key, left === undefined ? [generation] : [generation, left]);
        return true;
      }),

    giveUp: (organisationId, { kind, id }, generation) =>
      database.tenant(organisationId, () => abandon(keyOf(organisationId, kind, id), generation)),

    describe: (organisationId, source) =>
      database.tenant(organisationId, async () => {
        const key = keyOf(organisationId, source.kind, source.id);
        const repeated = repeatedOf(source);
        await passages.updateMany({ source: key }, { $set: repeated.set, $unset: repeated.unset }).exec();
      }),

    describeAll: (organisationId, kind, ids, { title, memberIds }, clock) =>
      database.tenant(organisationId, async () => {
        const keys = ids.map((id) => keyOf(organisationId, kind, id));
        await sources
          .updateMany(
            { _id: { $in: keys }, isPresent: true },
            {
              $set: { title, changedAt: clock.now(), ...(memberIds && { memberIds: [...memberIds] }) },
              ...(!memberIds && { $unset: { memberIds: 1 } }),
            },
          )
          .exec();
        const repeated = { title, readers: memberIds ? [...memberIds] : [EVERYBODY] };
        await passages.updateMany({ source: { $in: keys } }, { $set: repeated }).exec();
      }),

    relabel,
    hide,

    remove: (organisationId, kind, ids, clock) =>
      database.tenant(organisationId, async () => {
        await hide(organisationId, kind, ids, clock);
        const keys = ids.map((id) => keyOf(organisationId, kind, id));
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
          .find({ generation, ordinal: { $gte: from } }, { vector: 0, nextVector: 0 })
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
          .find({ _id: { $in: ids } }, vectors ? {} : { vector: 0, nextVector: 0 })
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

    // For indexes, which have what there is, whoever asks first.
    newest: (organisationId, kind, limit, before) =>
      withoutLimits(() =>
        database.tenant(organisationId, async () => {
          const found = await sources
            .find({ kind, isPresent: true, ...(before && olderThan(organisationId, before)) })
            .sort({ createdAt: -1, _id: -1 })
            .limit(limit)
            .lean()
            .exec();
          return found.map(sourceOf);
        }),
      ),

    changes: (organisationId, kinds, since, limit, behind) =>
      withoutLimits(() =>
        database.tenant(organisationId, async () => {
          // Of one kind an index has them in their order.
          const ofKinds = await Promise.all(
            kinds.map((kind) =>
              sources
                .find({
                  kind,
                  changedAt: { $gte: behind?.changedAt ?? since },
                  ...(behind && { $or: [{ changedAt: { $gt: behind.changedAt } }, { _id: { $gt: behind.key } }] }),
                })
                .sort({ changedAt: 1, _id: 1 })
                .limit(limit)
                .lean()
                .exec(),
            ),
          );
          const found = ofKinds
            .flat()
            .sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime() || (a._id < b._id ? -1 : 1))
            .slice(0, limit);
          return found.map((document) => ({
            kind: document.kind,
            id: document.sourceId,
            position: { changedAt: document.changedAt, key: document._id },
            ...(document.isPresent && { present: sourceOf(document) }),
          }));
        }),
      ),

    ...changingModels(database),

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
          for (const { generation, since } of pending) if (since < before) await abandon(_id, generation);
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
        await models.deleteMany({}).exec();
      }),
  };
}

/** Somebody has begun a later set than this one. */
class Superseded extends Error {}

function nullWhereSuperseded(error: unknown): null {
  if (error instanceof Superseded) return null;
  throw error;
}
