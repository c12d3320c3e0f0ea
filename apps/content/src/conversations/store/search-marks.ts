import type { Database, RecordOf } from '@platform-backend/mongo';
import type { OfOrganisation } from '../domain/conversations.ts';
import type { conversationCollections } from './conversation-collections.ts';

type Marked = RecordOf<(typeof conversationCollections)['conversations' | 'messages']>;

/** What a collection has marked with `searchDueAt`; whoever takes one moves the moment, which is their lease. */
export function searchMarks(database: Database, name: string) {
  const model = database.model<Marked>(name);
  return {
    take: (afterOrganisation: string, at: Date, until: Date): Promise<OfOrganisation | undefined> =>
      database.acrossOrganisations(async () => {
        const first = (after: string) =>
          model
            .findOneAndUpdate(
              { organisationId: { $gt: after }, searchDueAt: { $exists: true, $lte: at } },
              { $set: { searchDueAt: until } },
            )
            .sort({ organisationId: 1, searchDueAt: 1 })
            .select({ organisationId: 1 })
            .lean()
            .exec();
        const taken = (await first(afterOrganisation)) ?? (afterOrganisation === '' ? null : await first(''));
        return taken ? { organisationId: taken.organisationId, id: taken._id } : undefined;
      }),
    /** False: it was marked again since, or is gone. */
    done: ({ organisationId, id }: OfOrganisation, until: Date): Promise<boolean> =>
      database.tenant(organisationId, async () => {
        const unmarked = await model.updateOne({ _id: id, searchDueAt: until }, { $unset: { searchDueAt: 1 } }).exec();
        return unmarked.matchedCount === 1;
      }),
  };
}
