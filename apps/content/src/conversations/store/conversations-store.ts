import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, type Database, type Filter, type RecordOf } from '@platform-backend/mongo';
import type { Conversation } from '../domain/conversation.ts';
import type { ConversationFilter, Conversations, OfOrganisation } from '../domain/conversations.ts';
import type { conversationCollections } from './conversation-collections.ts';
import { searchMarks } from './search-marks.ts';

type Schema = (typeof conversationCollections)['conversations'];

export function conversationsStore(database: Database): Conversations {
  const name = 'conversations';
  const conversations = documentStore<Conversation, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);

  const marks = searchMarks(database, name);

  /** Of all organisations. */
  const some = (filter: Filter, limit: number): Promise<readonly OfOrganisation[]> =>
    database.acrossOrganisations(async () => {
      const found = await model.find(filter, { organisationId: 1 }).limit(limit).lean().exec();
      return found.map(({ _id, organisationId }) => ({ id: _id, organisationId }));
    });

  return {
    find: conversations.find,
    list: (organisationId, { order, sort, limit, cursor, includeTotal, ...filter }) => {
      const by = sort === 'activity' ? 'lastMessageAt' : 'createdAt';
      return conversations.page(
        organisationId,
        { limit, cursor, includeTotal },
        { filter: filterOf(filter), order, by },
      );
    },
    olderThan(organisationId, { since, before }, request) {
      const by = since === 'CREATED' ? 'createdAt' : 'lastMessageAt';
      const filter = { [by]: { $lt: before }, removedAt: null };
      return conversations.page(organisationId, request, { filter, order: 'asc', by });
    },
    readershipOf: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const projection = { memberId: 1, isShared: 1, removedAt: 1 };
        const found = await model
          .find({ _id: { $in: ids } }, projection)
          .lean()
          .exec();
        return new Map(found.map(({ _id, ...readership }) => [_id, readership]));
      }),
    update: conversations.update,
    together: (organisationId, work) => database.transaction(organisationId, work),
    withExpiredTurn: (before, limit) => some({ 'turn.leasedUntil': { $lt: before } }, limit),
    untilExpiredTurn: (at) => untilFirst(database, { collection: name, field: 'turn.leasedUntil' }, at),
    removed: (limit) => some({ removedAt: { $exists: true } }, limit),
    takeSearchDue: marks.take,
    searchDone: marks.done,
    forget: (organisationId, id) => conversations.removeAll(organisationId, { _id: id }),
    removeAll: (organisationId) => conversations.removeAll(organisationId, {}),
  };
}

const filterOf = ({ memberId, isShared, isArchived, title }: ConversationFilter): Filter => ({
  removedAt: null,
  ...(memberId !== undefined && { memberId }),
  ...(isShared !== undefined && { isShared }),
  ...(isArchived !== undefined && { isArchived }),
  ...(title !== undefined && {
    title: { $regex: title.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), $options: 'i' },
  }),
});
