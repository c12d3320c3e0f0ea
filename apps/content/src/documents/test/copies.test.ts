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
});
