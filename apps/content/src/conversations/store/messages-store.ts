import { outgoingEvents } from '@platform-backend/events';
import { documentStore, type Database, type Filter, type RecordOf } from '@platform-backend/mongo';
import type { MessageFilter, Messages, ShowSources } from '../domain/conversations.ts';
import type { Message } from '../domain/message.ts';
import type { conversationCollections } from './conversation-collections.ts';
import { searchMarks } from './search-marks.ts';

type Schema = (typeof conversationCollections)['messages'];

/** How many messages are looked at together on the way up a branch. */
const STEP = 50;

/** What leaves it is what its reader may see; what is decided on is whole. */
export function messagesStore(database: Database, show: ShowSources): Messages {
  const name = 'messages';
  const messages = documentStore<Message, Schema>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<RecordOf<Schema>>(name);
  const marks = searchMarks(database, name);
  const shown = async (organisationId: string, message: Message): Promise<Message> =>
    (await show(organisationId, [message]))[0] ?? message;
  return {
    async find(organisationId, id) {
      const found = await messages.find(organisationId, id);
      return found && shown(organisationId, found);
    },
    async list(organisationId, { order, limit, cursor, includeTotal, ...filter }) {
      const request = { limit, cursor, includeTotal };
      const page = await messages.page(organisationId, request, { filter: filterOf(filter), order });
      return { ...page, items: await show(organisationId, page.items) };
    },
    conversationsOf: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const found = await model
          .find({ _id: { $in: ids } }, { conversationId: 1 })
          .lean()
          .exec();
        return new Map(found.map(({ _id, conversationId }) => [_id, conversationId]));
      }),
    async update(by, id, decide) {
      const result = await messages.update(by, id, decide);
      return isMessage(result) ? ((await shown(by.organisationId, result)) as typeof result) : result;
    },
    async branch(organisationId, last, limit) {
      const branch = [last];
      const older = { conversationId: last.conversationId, createdAt: { $lt: last.createdAt } };
      let { parentId } = last;
      let cursor = '';
      // A parent is older than what follows it.
      while (parentId !== '' && branch.length < limit) {
        const request = { limit: STEP, cursor, includeTotal: false };
        const { items, nextCursor } = await messages.page(organisationId, request, { filter: older, order: 'desc' });
        for (const message of items) {
          if (message.id !== parentId || branch.length === limit) continue;
          branch.push(message);
          ({ parentId } = message);
        }
        if (nextCursor === '') break;
        cursor = nextCursor;
      }
      return branch.toReversed();
    },
    someOf: (organisationId, conversationId, limit) =>
      database.tenant(organisationId, async () => {
        const found = await model.find({ conversationId }, { _id: 1 }).limit(limit).lean().exec();
        return found.map(({ _id }) => _id);
      }),
    idsAfter: (organisationId, conversationId, after, limit) =>
      database.tenant(organisationId, async () => {
        const found = await model
          .find({ conversationId, _id: { $gt: after } }, { _id: 1 })
          .sort({ _id: 1 })
          .limit(limit)
          .lean()
          .exec();
        return found.map(({ _id }) => _id);
      }),
    markForSearch: (organisationId, conversationId, at) =>
      database.tenant(organisationId, () =>
        model.updateMany({ conversationId, searchDueAt: { $exists: true } }, { $set: { searchDueAt: at } }).exec(),
      ),
    takeSearchDue: marks.take,
    searchDone: marks.done,
    remove: (organisationId, ids) => messages.removeAll(organisationId, { _id: { $in: ids } }),
    removeAll: (organisationId) => messages.removeAll(organisationId, {}),
  };
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'annotations' in value && 'conversationId' in value;

const filterOf = (wanted: MessageFilter): Filter => {
  const { conversationId, memberId, senderType, isFinished, createdAfter, createdBefore } = wanted;
  return {
    ...(conversationId !== undefined && { conversationId }),
    ...(memberId !== undefined && { memberId }),
    ...(senderType !== undefined && { senderType }),
    ...(isFinished !== undefined && { isFinished }),
    ...((createdAfter ?? createdBefore) && {
      createdAt: { ...(createdAfter && { $gt: createdAfter }), ...(createdBefore && { $lt: createdBefore }) },
    }),
  };
};
