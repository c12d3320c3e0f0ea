import { vectorOf, type Database, type RecordOf } from '@platform-backend/mongo';
import type { KnownEncoder } from '../domain/encoder-identity.ts';
import type { EncoderRegister } from '../domain/encoder-register.ts';
import type { passageCollections } from './passage-collections.ts';
import type { PassageRecord, SourceRecord } from './passage-records.ts';

/** Whose they are: nobody's, as an encoder serves all. */
const NOBODY = '';

type EncoderRecord = RecordOf<(typeof passageCollections)['searchEncoders']>;

export function encoderRegister(database: Database): EncoderRegister {
  const encoders = database.model<EncoderRecord>('searchEncoders');
  const sources = database.model<SourceRecord>('searchSources');
  const passages = database.model<PassageRecord>('passages');
  return {
    known: () =>
      database.acrossOrganisations(async () => {
        const found = await encoders.find({ organisationId: NOBODY }).sort({ number: 1 }).lean().exec();
        return found.map(knownOf);
      }),

    add: ({ storedAs, prefixes: { question, passage }, ...identity }) =>
      database.acrossOrganisations(async () => {
        const last = await encoders.findOne({ organisationId: NOBODY }).sort({ number: -1 }).lean().exec();
        const made = {
          ...identity,
          organisationId: NOBODY,
          number: (last?.number ?? 0) + 1,
          questionPrefix: question,
          passagePrefix: passage,
        };
        const { upsertedCount } = await encoders
          .updateOne({ _id: storedAs }, { $setOnInsert: made }, { upsert: true })
          .exec();
        return upsertedCount === 1;
      }),

    noteDimensions: (storedAs, dimensions) =>
      database.acrossOrganisations(async () => {
        await encoders.updateOne({ _id: storedAs, dimensions: { $exists: false } }, { $set: { dimensions } }).exec();
      }),

    dimensionsOf: (names) =>
      database.acrossOrganisations(async () => {
        const source = await sources
          .findOne({ isPresent: true, model: { $in: names }, passages: { $gt: 0 } })
          .lean()
          .exec();
        if (source?.generation === undefined) return undefined;
        const { organisationId, generation } = source;
        const found = await passages
          .findOne({ organisationId, generation, vector: { $exists: true } })
          .lean()
          .exec();
        return found?.vector && vectorOf(found.vector).length;
      }),
  };
}

const knownOf = ({ _id, name, endpoint, dimensions, questionPrefix, passagePrefix }: EncoderRecord): KnownEncoder => ({
  storedAs: _id,
  name,
  ...(endpoint !== undefined && { endpoint }),
  ...(dimensions !== undefined && { dimensions }),
  prefixes: { question: questionPrefix, passage: passagePrefix },
});
