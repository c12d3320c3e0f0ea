import type { Database, RecordOf } from '@platform-backend/mongo';
import type { DocumentTexts } from '../domain/documents.ts';
import type { documentCollections } from './document-collections.ts';

export function documentTextsStore(database: Database): DocumentTexts {
  const texts = database.model<RecordOf<(typeof documentCollections)['documentTexts']>>('documentTexts');
  return {
    find: (organisationId, key) =>
      database.tenant(organisationId, async () => {
        const found = await texts.findOne({ _id: key }, { text: 1 }).lean().exec();
        return found?.text;
      }),
    put: async (organisationId, key, text) => {
      await database.tenant(organisationId, () =>
        texts.updateOne({ _id: key }, { $set: { text } }, { upsert: true }).exec(),
      );
    },
    remove: async (organisationId, keys) => {
      await database.tenant(organisationId, () => texts.deleteMany({ _id: { $in: [...keys] } }).exec());
    },
    removeAll: async (organisationId) => {
      await database.tenant(organisationId, () => texts.deleteMany({}).exec());
    },
  };
}
