import { newId } from '@platform-backend/core';
import { storedVector, withoutLimits, type Database } from '@platform-backend/mongo';
import type { PassageStore } from '../domain/passage-store.ts';
import {
  isEmbeddedByName,
  keyOf,
  passageId,
  sourceOf,
  type PassageRecord,
  type SearchModelRecord,
  type SourceRecord,
} from './passage-records.ts';

/** As long as a replica may take for the vectors of what it takes at a time, and what a killed one costs. */
const TAKEN_MS = 120_000;
/** Most sources that are taken at a time, and most passages of them unless one alone has more. */
const TAKEN_SOURCES = 256;
const TAKEN_PASSAGES = 256;
/** What an encoder refuses again and again is tried no less often. */
const MAX_POSTPONED_MS = 6 * 60 * 60_000;
/** How many sources get the vectors beside them at a time. */
const ROUND = 100;
/** Nobody has taken it. */
export const NEVER = new Date(0);

type ChangingModels = Pick<
  PassageStore,
  'takeStale' | 'countStale' | 'postponeStale' | 'setVectors' | 'setModel' | 'answeringModel' | 'switchTo' | 'promote'
>;

/**
 * Vectors by another model: sources are taken for a time, whoever makes their vectors notes them beside those that answer, and an
 * organisation of which all have some is switched, after which the others go.
 */
export function changingModels(database: Database): ChangingModels {
  const sources = database.model<SourceRecord>('searchSources');
  const passages = database.model<PassageRecord>('passages');
  const models = database.model<SearchModelRecord>('searchModels');

  return {
    async takeStale(model, behind, at) {
      const stale = { ...staleFor(model), takenUntil: { $lt: at } };
      const first = await database.acrossOrganisations(async () => {
        const next = (organisations: object) =>
          sources
            .findOne({ ...stale, ...organisations })
            .sort({ organisationId: 1 })
            .lean()
            .exec();
        return (await next({ organisationId: { $gt: behind } })) ?? (await next({ organisationId: { $lte: behind } }));
      });
      if (!first) return undefined;
      const { organisationId } = first;
      return database.tenant(organisationId, async () => {
        // What was refused is tried by itself, and takes nobody's place among those that are taken.
        const others = sources.find({ ...stale, refusals: { $exists: false } }).limit(TAKEN_SOURCES);
        const ids = fitting(first.refusals === undefined ? await others.lean().exec() : [first]);
        const takenBy = newId();
        const taken = { takenUntil: new Date(at.getTime() + TAKEN_MS), takenBy };
        await sources.updateMany({ _id: { $in: ids }, ...stale }, { $set: taken }).exec();
        const own = await sources
          .find({ _id: { $in: ids }, takenBy })
          .lean()
          .exec();
        return { organisationId, sources: own.map(sourceOf) };
      });
    },

    countStale: (model, upTo) =>
      database.acrossOrganisations(() => sources.countDocuments(staleFor(model)).limit(upTo).exec()),

    postponeStale: (organisationId, { kind, id, generation }, at) =>
      database.tenant(organisationId, async () => {
        const source = { _id: keyOf(organisationId, kind, id), generation };
        const refused = await sources
          .findOneAndUpdate(source, { $inc: { refusals: 1 } }, { returnDocument: 'after' })
          .lean()
          .exec();
        const pauseMs = Math.min(TAKEN_MS * 2 ** (refused?.refusals ?? 1), MAX_POSTPONED_MS);
        await sources.updateOne(source, { $set: { takenUntil: new Date(at.getTime() + pauseMs) } }).exec();
      }),

    setVectors: (organisationId, vectors, { model, beside }) =>
      database.tenant(organisationId, async () => {
        const writes = vectors.map(({ vector: made, embeddedName, ...reference }) => {
          const vector = storedVector(made);
          const named = embeddedName !== undefined;
          const set = beside
            ? { nextVector: vector, nextModel: model, ...(named && { nextEmbeddedName: embeddedName }) }
            : { vector, model, ...(named && { embeddedName }) };
          return { updateOne: { filter: { _id: passageId(reference) }, update: { $set: set } } };
        });
        await passages.bulkWrite(writes);
      }),

    setModel: (organisationId, done, { model, beside }, clock) =>
      database.tenant(organisationId, async () => {
        const changedAt = clock.now();
        const writes = done.map(({ kind, id, generation, title }) => ({
          updateOne: {
            filter: {
              ...{ _id: keyOf(organisationId, kind, id), generation },
              ...(isEmbeddedByName({ kind }) && { title }),
            },
            update: {
              $set: {
                takenUntil: NEVER,
                changedAt,
                ...(beside ? { nextModel: model, nextGeneration: generation } : { model }),
              },
              $unset: { refusals: 1 as const, takenBy: 1 as const, ...(!beside && { formerNameModel: 1 as const }) },
            },
          },
        }));
        await sources.bulkWrite(writes);
        // Where all others have moved before, these still have to.
        if (beside) await models.updateOne({ _id: organisationId, model }, { $set: { hasOthers: true } }).exec();
      }),

    // Of all that there is, whoever asks.
    answeringModel: (organisationId, current) =>
      withoutLimits(() =>
        database.tenant(organisationId, async () => {
          const known = await models.findOne({ _id: organisationId }).lean().exec();
          if (known) return known.model;
          const other = await sources
            .findOne({ organisationId, isPresent: true, model: { $gt: '', $ne: current } })
            .lean()
            .exec();
          const model = other?.model ?? current;
          const first = { model, ...(other && { hasOthers: true }) };
          await models.updateOne({ _id: organisationId }, { $setOnInsert: first }, { upsert: true }).exec();
          return (await models.findOne({ _id: organisationId }).lean().exec())?.model ?? model;
        }),
      ),

    async switchTo(model) {
      const others = await database.acrossOrganisations(() =>
        models
          .find({ model: ofAnother(model) })
          .lean()
          .exec(),
      );
      const switched: string[] = [];
      for (const { organisationId } of others)
        await database.tenant(organisationId, async () => {
          // What the encoder refuses again and again holds up nothing.
          const missing = await sources
            .findOne({ ...staleFor(model), refusals: { $exists: false } })
            .lean()
            .exec();
          if (missing) return;
          await models.updateOne({ _id: organisationId }, { $set: { model, hasOthers: true } }).exec();
          switched.push(organisationId);
        });
      return switched;
    },

    async promote(model) {
      const state = await database.acrossOrganisations(() => models.findOne({ hasOthers: true, model }).lean().exec());
      if (!state) return false;
      const { organisationId } = state;
      await database.tenant(organisationId, async () => {
        const found = await sources.find({ nextModel: model }).limit(ROUND).lean().exec();
        const sets = found.flatMap(({ generation = '', nextGeneration }) =>
          generation === nextGeneration ? [generation] : [],
        );
        await passages
          .updateMany(
            { generation: { $in: sets }, nextModel: model },
            { $rename: { nextVector: 'vector', nextModel: 'model', nextEmbeddedName: 'embeddedName' } },
          )
          .exec();
        const writes = found.map(({ _id, generation = '', nextGeneration }) => ({
          updateOne: {
            // Not one that was renamed since it was read.
            filter: { _id, generation, nextModel: model },
            update: {
              ...(generation === nextGeneration && { $set: { model } }),
              $unset: { nextModel: 1 as const, nextGeneration: 1 as const, formerNameModel: 1 as const },
            },
          },
        }));
        if (writes.length > 0) await sources.bulkWrite(writes);
        else await models.updateOne({ _id: organisationId, model }, { $unset: { hasOthers: 1 } }).exec();
      });
      return true;
    },
  };
}

const ofAnother = (model: string) => ({ $gte: '', $ne: model });

/** What has vectors of other models alone; of none they are until they are made. */
const staleFor = (model: string) => ({
  isPresent: true,
  model: ofAnother(model),
  nextModel: { $ne: model },
});

/** The first of these sources that have few enough passages together, and the first in any case. */
function fitting(found: readonly SourceRecord[]): readonly string[] {
  let passages = 0;
  const ids: string[] = [];
  for (const { _id, passages: own = 0 } of found) {
    passages += own;
    if (ids.length > 0 && passages > TAKEN_PASSAGES) break;
    ids.push(_id);
  }
  return ids;
}
