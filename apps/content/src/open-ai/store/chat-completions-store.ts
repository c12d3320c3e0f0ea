import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, withoutLimits, type Database, type RecordOf } from '@platform-backend/mongo';
import type { ChatCompletion } from '../domain/chat-completion.ts';
import type { ChatCompletions } from '../domain/chat-completions.ts';
import type { chatCompletionCollections } from './chat-completion-collections.ts';

type Schema = (typeof chatCompletionCollections)['chatCompletions'];

export function chatCompletionsStore(database: Database): ChatCompletions {
  const name = 'chatCompletions';
  const stored = documentStore<ChatCompletion, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);
  return {
    // What is owed is stored also while nobody can tell what whoever asked may open.
    update: (by, id, decide) => withoutLimits(() => stored.update(by, id, decide)),
    withExpiredLease: (before, limit) =>
      database.acrossOrganisations(async () => {
        const found = await model
          .find({ leasedUntil: { $lt: before } }, { organisationId: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(({ _id: id, organisationId }) => ({ id, organisationId }));
      }),
    untilExpiredLease: (at) => untilFirst(database, { collection: name, field: 'leasedUntil' }, at),
    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}
