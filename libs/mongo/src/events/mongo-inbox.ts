import type { Inbox } from '@platform-backend/events';
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
      const inbox = inboxOf(database.unguarded);
      const _id = `${consumer} ${event.id}`;
      if (await inbox.findOne({ _id }, { session })) return;
      await inbox.insertOne({ _id, organisationId: event.organisationId, handledAt: new Date() }, { session });
      await effect(session, event);
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
