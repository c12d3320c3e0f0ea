import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, overdueSeconds, type Database } from '@platform-backend/mongo';
import { throwawayMongo, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import { indexDueMessages } from '../app/index-messages.ts';
import { conversationCollections } from '../store/conversation-collections.ts';
import { conversationsStore } from '../store/conversations-store.ts';
import { messagesStore } from '../store/messages-store.ts';

describe('what searches have to learn of conversations', () => {
  let mongo: ThrowawayMongo;
  let database: Database;
  const logger = createLogger({ service: 'content', level: 'silent' });
  beforeAll(async () => {
    mongo = await throwawayMongo();
    database = await openDatabase({
      ...{ url: mongo.url, applicationName: 'index turns', logger, collections: conversationCollections },
    });
    await database.createIndexes();
  });
  afterAll(async () => {
    await database.close();
    await mongo.drop();
  });

  it('is told by turns of organisations, however much one has renamed and said', async () => {
    const clock = fixedClock();
    const [large, small] = [newId(), newId()].toSorted() as [string, string];
    const add = (organisationId: string, count: number) =>
      database.tenant(organisationId, async () => {
        const [at, searchDueAt] = [clock.now(), clock.now()];
        for (let made = 0; made < count; made += 1) {
          const [id, answerId] = [newId(), newId()];
          const of = { memberId: 'ann', createdAt: at, searchDueAt };
          await database.model('conversations').create([
            {
              ...{ ...of, _id: id, title: 'Renamed', assistantId: 'general', isShared: false, isArchived: false },
              ...{ currentMessageId: answerId, messageCount: 1, lastMessageAt: at, updatedAt: at },
            },
          ]);
          const said = { senderId: 'ann', senderType: 'USER', message: 'Hello.', messageType: 'TEXT', parentId: '' };
          await database
            .model('messages')
            .create([{ ...of, ...said, _id: answerId, conversationId: id, isFinished: true }]);
        }
      });
    await add(large, 40);
    clock.advance(1_000);
    await add(small, 1);
    clock.advance(59_000);
    const messages = messagesStore(database, (_organisationId, shown) => Promise.resolve(shown));
    const told: string[] = [];
    const note = (what: string) => (organisationId: string) => {
      told.push(`${organisationId === small ? 'small' : 'large'}: ${what}`);
      return Promise.resolve();
    };
    const ports = {
      ...{ conversations: conversationsStore(database), messages, clock, logger },
      passages: {
        replace: (organisationId: string) => note('message')(organisationId).then(() => true),
        ...{ remove: note('removed'), describeAll: note('title') },
      },
      splitPassages: () => Promise.resolve([]),
    };
    const oldest = () => overdueSeconds(database, { collection: 'messages', field: 'searchDueAt' }, clock.now());
    expect(await oldest()).toBe(60);
    const turns = { ofConversations: '', ofMessages: '' };
    const stopping = new AbortController().signal;
    expect(await indexDueMessages(ports, turns, stopping)).toBe(82);
    expect(told.slice(0, 4).toSorted()).toEqual(['large: message', 'large: title', 'small: message', 'small: title']);
    expect(told).toHaveLength(82);
    expect(await indexDueMessages(ports, turns, stopping)).toBe(0);
    expect(await oldest()).toBe(0);
  });
});
