import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, withoutLimits, type Database, type RecordOf } from '@platform-backend/mongo';
import type { Generation } from '../domain/generation.ts';
import type { Generations } from '../domain/generations.ts';
import type { generationCollections } from './generation-collections.ts';

type Schema = (typeof generationCollections)['generations'];

const FORGOTTEN_AT_ONCE = 1_000;

export function generationsStore(database: Database): Generations {
  const name = 'generations';
  const stored = documentStore<Generation, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);
  return {
    find: stored.find,
    // What is owed is stored whatever whoever asked may open.
    update: (by, id, decide) => withoutLimits(() => stored.update(by, id, decide)),
    forgetTexts: (before) =>
      database.acrossOrganisations(async () => {
        const due = { textUntil: { $lt: before } };
        const found = await model.find(due, { _id: 1 }).limit(FORGOTTEN_AT_ONCE).lean().exec();
        const ids = found.map(({ _id }) => _id);
        if (ids.length > 0)
          await model
            .updateMany({ _id: { $in: ids }, ...due }, { $unset: { text: 1, problems: 1, textUntil: 1 } })
            .exec();
        return ids.length;
      }),
    untilForgotten: (at) => untilFirst(database, { collection: name, field: 'textUntil' }, at),
    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}
