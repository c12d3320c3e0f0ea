import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/mongo';
import { throwawayMongo, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import { collectionsOfAll } from '../../service.ts';
import { documentsStore } from '../store/documents-store.ts';
import { minutesLater, noon } from './document-examples.ts';

describe('a copy that is going to be made', () => {
  let mongo: ThrowawayMongo;
  let database: Database;
  beforeAll(async () => {
    mongo = await throwawayMongo();
    const logger = createLogger({ service: 'content', level: 'silent' });
    const collections = await collectionsOfAll();
    database = await openDatabase({ url: mongo.url, applicationName: 'copies', logger, collections });
  });
  afterAll(async () => {
    await database.close();
    await mongo.drop();
  });

  it('is looked at in its time, and is none of the keys that the version before removes', async () => {
    const searched = { hide: () => Promise.resolve(), relabel: () => Promise.resolve() };
    const documents = documentsStore(database, searched);
    const organisationId = newId();
    await documents.noteCopy({ organisationId, id: 'd' }, 'copy', minutesLater(60));
    const [noted] = await database.tenant(organisationId, () =>
      database.model('documentFollowUps').find().lean().exec(),
    );
    expect(noted).toMatchObject({ objectKeys: [] });
    expect(await documents.takeFollowUp('', noon, minutesLater(1))).toBeUndefined();
    expect(await documents.takeFollowUp('', minutesLater(60), minutesLater(61))).toMatchObject({
      documentId: 'd',
      objectKeys: ['copy'],
      isCopy: true,
    });
  });

  it('is looked at by turns of organisations, and by nobody else until the lease ends', async () => {
    const searched = { hide: () => Promise.resolve(), relabel: () => Promise.resolve() };
    const documents = documentsStore(database, searched);
    const [many, few] = [newId(), newId()].toSorted() as [string, string];
    for (const id of ['1', '2', '3']) await documents.noteCopy({ organisationId: many, id }, `copy ${id}`, noon);
    await documents.noteCopy({ organisationId: few, id: '1' }, 'copy', noon);
    const takeAll = async (at: Date, until: Date) => {
      const taken: string[] = [];
      for (let last = ''; ; last = taken.at(-1) ?? '') {
        const due = await documents.takeFollowUp(last, at, until);
        if (!due) return taken;
        taken.push(due.organisationId);
      }
    };
    expect(await takeAll(noon, minutesLater(1))).toEqual([many, few, many, many]);
    expect(await takeAll(noon, minutesLater(1))).toEqual([]);
    // Whoever had them was killed.
    expect(await takeAll(minutesLater(1), minutesLater(2))).toEqual([many, few, many, many]);
  });
});
