import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/mongo';
import { throwawayMongo, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import { collectionsOfAll } from '../src/service.ts';

const logger = createLogger({ service: 'content', level: 'silent' });
const at = new Date();

/** As the first version of the service wrote them: a replica of then may still write beside one of now. */
const firstVersion: Record<string, Record<string, unknown>> = {
  reports: {
    title: '',
    markdown: '',
    authorId: null,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    deleted: false,
  },
  messages: {
    ...{ conversationId: 'c', memberId: 'm', senderId: 's', senderType: 'USER', message: 'Hello', messageType: 'TEXT' },
    ...{ isFinished: true, annotations: {}, parentId: '', createdAt: at },
  },
  conversations: {
    ...{ memberId: 'm', title: '', assistantId: 'general', isShared: false, isArchived: false, currentMessageId: 'x' },
    ...{ messageCount: 2, lastMessageAt: at, createdAt: at, updatedAt: at },
  },
  assistants: {
    ...{ name: 'A', description: '', instructions: '', model: '', tools: [], documentIds: [], collections: [] },
    ...{ temperature: null, revision: 1, nameKey: 'a', memberId: 'm', createdAt: at, updatedAt: at },
  },
  conventions: { title: 'T', content: 'C', createdAt: at, updatedAt: at },
  transcriptions: {
    ...{ filename: '', text: '', segments: [], language: null, seconds: 0, engine: 'e', userId: 'u' },
    ...{ createdAt: at, updatedAt: at },
  },
  documents: {
    ...{ name: 'a.pdf', status: 'PENDING_UPLOAD', collectionName: '', contentType: 'application/pdf', mediaType: '' },
    ...{
      description: '',
      describedByHand: false,
      detailedDescription: '',
      language: '',
      pageCount: null,
      numTokens: 0,
    },
    ...{ sizeBytes: 0, checksum: '', objectKey: 'k', contentIsCut: false, failure: null, progress: null },
    ...{ archivedFrom: null, lease: null, attempts: 0, uploadExpiresAt: at, createdAt: at, updatedAt: at },
  },
  documentFollowUps: { documentId: 'd', objectKeys: [], againAt: null, dueAt: at },
  searchSources: {
    ...{ kind: 'DOCUMENT', sourceId: 'd', title: '', isPresent: false, latest: 'g', createdAt: at, changedAt: at },
    ...{ takenUntil: at, pending: [{ generation: 'g', since: at }] },
  },
};

const wrong: Record<string, readonly Record<string, unknown>[]> = {
  reports: [{ title: 'x'.repeat(2001) }, { revision: '1' }, { createdAt: at.toISOString() }],
  messages: [{ senderType: 'ROBOT' }, { message: null }, { feedback: { rating: 'MAYBE', comment: '', createdAt: at } }],
  conversations: [{ turn: { id: 't', answerId: 'a' } }, { messageCount: -1 }],
  assistants: [{ tools: ['delete_everything'] }, { temperature: 3 }, { toolEffects: 'sometimes' }],
  conventions: [{ content: 'x'.repeat(50_001) }],
  transcriptions: [{ segments: [{ start: 0, end: 1 }] }],
  documents: [{ status: 'GONE' }, { sizeBytes: -1 }, { lease: { holder: 'h' } }, { failure: { code: 'damaged' } }],
  documentFollowUps: [{ dueAt: null }],
  searchSources: [{ kind: 'IMAGE' }, { takenUntil: null }, { pending: [{ generation: 'g' }] }],
};

describe('the collections of content', () => {
  let server: ThrowawayMongo;
  let database: Database;
  beforeAll(async () => {
    server = await throwawayMongo();
    const collections = await collectionsOfAll();
    database = await openDatabase({ url: server.url, applicationName: 'validators', logger, collections });
    await database.applyValidators();
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  const insert = (name: string, fields: object) =>
    database.unguarded.collection<{ _id: string }>(name).insertOne({ _id: newId(), ...fields });

  it('refuse a document of no organisation, all of them', async () => {
    for (const name of database.collections) await expect(insert(name, {})).rejects.toMatchObject({ code: 121 });
  });

  it.each(Object.keys(firstVersion))(
    '%s take what a replica of the first version writes, and nothing that is wrong',
    async (name) => {
      const first = { organisationId: 'o', ...firstVersion[name] };
      await insert(name, first);
      for (const fields of wrong[name] ?? [])
        await expect(insert(name, { ...first, ...fields })).rejects.toMatchObject({ code: 121 });
    },
  );
});
