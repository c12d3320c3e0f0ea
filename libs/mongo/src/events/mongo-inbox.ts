import type { DeliveredEvent, Inbox } from '@platform-backend/events';
import type { mongo } from 'mongoose';
import type { Database } from '../database.ts';
import { inboxOf } from './event-collections.ts';

/** Documents deleted in one go. */
export const PRUNE_LIMIT = 5_000;

/**
 * The inbox collection. The effect does its work through models and stores, in the transaction of the note that the event
 * was handled. A second delivery at the same time waits for the first, or fails and comes again.
 */
export const mongoInbox = (database: Database): Inbox<mongo.ClientSession> => ({
  once: (consumer, event, effect) =>
    database.transaction(event.organisationId, async (session) => {
      if (await isFresh(database, session, consumer, event)) await effect(session, event);
    }),

  async prune(olderThanMs) {
    const inbox = inboxOf(database.unguarded);
    const old = { handledAt: { $lt: new Date(Date.now() - olderThanMs) } };
    const ids = await inbox
      .find(old)
      .sort({ handledAt: 1 })
      .limit(PRUNE_LIMIT)
      .map(({ _id }) => _id)
      .toArray();
    return (await inbox.deleteMany({ _id: { $in: ids } })).deletedCount;
  },
});

/** Notes that an event is handled; false: it was before. */
async function isFresh(
  database: Database,
  session: mongo.ClientSession,
  consumer: string,
  { id, organisationId }: Pick<DeliveredEvent, 'id' | 'organisationId'>,
): Promise<boolean> {
  const inbox = inboxOf(database.unguarded);
  const _id = `${consumer} ${id}`;
  if (await inbox.findOne({ _id }, { session })) return false;
  await inbox.insertOne({ _id, organisationId, handledAt: new Date() }, { session });
  return true;
}
