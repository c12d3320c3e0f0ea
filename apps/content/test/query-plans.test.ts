import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock, newId, serviceActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/mongo';
import { throwawayMongo, watchQueries, type ThrowawayMongo } from '@platform-backend/mongo/testing';
import { assistantsStore } from '../src/assistants/store/assistants-store.ts';
import { changeConvention, createConvention, deleteConvention } from '../src/conventions/domain/convention.ts';
import { conventionsStore } from '../src/conventions/store/conventions-store.ts';
import { conversationsStore } from '../src/conversations/store/conversations-store.ts';
import { messagesStore } from '../src/conversations/store/messages-store.ts';
import { ALL_DOCUMENTS } from '../src/documents/domain/documents.ts';
import { documentsStore } from '../src/documents/store/documents-store.ts';
import { importsStore } from '../src/imports/store/imports-store.ts';
import { passagesStore } from '../src/passages/store/passages-store.ts';
import { reportsStore } from '../src/reports/store/reports-store.ts';
import { retentionPoliciesStore } from '../src/retention/store/retention-policies-store.ts';
import { collectionsOfAll } from '../src/service.ts';
import { tooManyTranscriptionJobs } from '../src/transcription/domain/errors.ts';
import { transcriptionJobsStore } from '../src/transcription/store/transcription-jobs-store.ts';
import { transcriptionsStore } from '../src/transcription/store/transcriptions-store.ts';

const logger = createLogger({ service: 'content', level: 'silent' });

/** No change of these tests is one of what can be found. */
const searched = { hide: () => Promise.resolve(), relabel: () => Promise.resolve() };

/** What the suites of the service send is read as well, when its tests stop it. */
describe('every query of the stores', () => {
  let mongo: ThrowawayMongo;
  let database: Database;
  beforeAll(async () => {
    mongo = await throwawayMongo();
    database = await openDatabase({
      url: mongo.url,
      applicationName: 'query plans',
      logger,
      collections: await collectionsOfAll(),
    });
    await database.createIndexes();
  });
  afterAll(async () => {
    await database.close();
    await mongo.drop();
  });

  async function useSearch(watched: Database): Promise<void> {
    const store = passagesStore(watched);
    const [organisationId, at] = [newId(), new Date()];
    const clock = fixedClock(at);
    const source = { kind: 'DOCUMENT', id: 'd', title: 'D', createdAt: at } as const;
    const passage = { ordinal: 0, text: 'text', start: 0, end: 4 };
    for (const model of ['old', 'old', 'new']) {
      const generation = await store.begin(organisationId, source, at);
      await store.add(organisationId, source, generation, [passage]);
      await store.publish(organisationId, { ...source, generation, model, passages: 1 }, clock);
    }
    await store.relabel(organisationId, source, clock);
    await store.describe(organisationId, source);
    await store.hide(organisationId, 'DOCUMENT', ['another'], clock);
    const stored = await store.find(organisationId, 'DOCUMENT', 'd');
    if (!stored) throw new Error('it is there');
    const { generation } = stored;
    await store.passages(organisationId, [generation]);
    await store.lookUp(organisationId, [{ generation, ordinal: 0 }]);
    await store.newest(organisationId, 'DOCUMENT', 10);
    await store.newest(organisationId, 'DOCUMENT', 10, stored);
    const [change] = await store.changes(organisationId, ['DOCUMENT', 'CONVENTION'], new Date(0), 10);
    await store.changes(organisationId, ['MESSAGE'], new Date(0), 10, change?.position);
    const made = { model: 'another', beside: true };
    await store.countStale('another', 10);
    await store.takeStale('another', '', new Date(at.getTime() + 1));
    await store.setVectors(organisationId, [{ generation, ordinal: 0, vector: Float32Array.of(1) }], made);
    await store.setModel(organisationId, [stored], made, clock);
    await store.answeringModel(organisationId, 'another');
    await store.switchTo('another');
    await store.promote('another');
    await store.begin(organisationId, source, at);
    await store.remove(organisationId, 'DOCUMENT', ['d'], clock);
    await store.tidy(new Date(at.getTime() + 1));
    await store.removeAll(organisationId);
  }

  async function useConventions(watched: Database): Promise<void> {
    const store = conventionsStore(watched, searched);
    const [organisationId, id, at] = [newId(), newId(), new Date()];
    const by = serviceActorContext('content', organisationId, newId());
    const convention = { id, title: 'Tone', content: 'Brief.', createdAt: at, updatedAt: at };
    await store.update(by, id, () => createConvention(convention), at);
    await store.update(by, id, (present) => changeConvention(present, { title: 'Voice' }, at), at);
    const page = { limit: 1, cursor: '', includeTotal: true, order: 'desc', visibility: null } as const;
    await store.list(organisationId, page);
    await store.list(organisationId, { ...page, visibility: 'restricted' });
    await store.list(organisationId, { ...page, visibility: 'organisation' });
    await store.list(organisationId, { ...page, title: 'Voice' });
    await store.list(organisationId, { ...page, createdAfter: new Date(0), createdBefore: new Date() });
    await store.history(organisationId, { ...page, conventionId: id });
    await store.findAll(organisationId, [id]);
    const until = new Date(at.getTime() + 1);
    const taken = await store.takeToIndex(organisationId, id, at, until);
    if (!taken) throw new Error('it is due');
    await store.giveBack(taken);
    await store.takeDue(at, until);
    await store.indexed(taken);
    await store.update(by, id, (present) => deleteConvention(present, at), at);
    await store.removeAll(organisationId);
  }

  /** Lists by each filter alone and by all of them, forwards and backwards. */
  async function useLists(watched: Database): Promise<void> {
    const organisationId = newId();
    const dates = { createdAfter: new Date(0), createdBefore: new Date() };
    const page = { limit: 1, includeTotal: true, order: 'desc' } as const;
    const pages = [
      { ...page, cursor: '' },
      { ...page, cursor: `${new Date().toISOString()},${newId()}`, order: 'asc' },
    ] as const;
    const [memberId, title] = [newId(), 'part'];
    for (const one of pages) {
      for (const some of [
        ...([{}, { status: ['READY'] }, { status: ['READY', 'FAILED'] }, { collection: 'hr' }] as const),
        ...([{ visibility: 'restricted' }, { visibility: 'organisation' }, { groupId: newId() }] as const),
        ...([{ labels: ['a=b'] }, { labels: ['a=b', 'c=d'], status: ['READY'] }] as const),
        ...([{ mediaType: 'text/plain' }, dates, { status: ['READY'], collection: 'hr', ...dates }] as const),
      ])
        await documentsStore(watched, searched).list(organisationId, { ...one, ...ALL_DOCUMENTS, ...some });
      for (const sort of ['created', 'activity'] as const)
        for (const some of [{}, { memberId }, { isShared: true }, { isArchived: true }, { title }, { memberId, title }])
          await conversationsStore(watched).list(organisationId, { ...one, sort, ...some });
      for (const some of [
        ...[{}, { conversationId: newId() }, { memberId }, { isFinished: false }, dates],
        ...([{ senderType: 'USER' }, { memberId, senderType: 'USER', ...dates }] as const),
      ])
        await messagesStore(watched, (_organisationId, messages) => Promise.resolve(messages)).list(organisationId, {
          ...one,
          ...some,
        });
      for (const some of [
        {},
        { authorId: memberId },
        { search: title },
        { deleted: true },
        { authorId: memberId, ...dates },
      ])
        await reportsStore(watched).list(organisationId, { search: '', deleted: false, ...some }, one);
      for (const userId of [null, memberId])
        await transcriptionsStore(watched).list(organisationId, { ...one, userId });
      const jobs = transcriptionJobsStore(watched, transcriptionsStore(watched));
      for (const userId of [null, memberId])
        for (const status of [[], ['RUNNING'], ['QUEUED', 'FAILED']] as const)
          await jobs.list(organisationId, { ...one, userId, status });
      const none = { max: 0, refusal: () => tooManyTranscriptionJobs({ limit: 0 }) };
      const refused = jobs.create(serviceActorContext('content', organisationId, ''), newId(), none, () => {
        throw new Error('there is room for none');
      });
      await expect(refused).rejects.toMatchObject({ code: 'too_many_transcription_jobs' });
      await jobs.untilDue(new Date());
      await jobs.nextDue('', new Date());
      await jobs.untilDue(new Date());
      await jobs.reservations();
      await jobs.removeEnded(new Date(0));
      const documents = documentsStore(watched, searched);
      await documents.takeFollowUp('', new Date(), new Date());
      await documents.untilProcessing(new Date());
      await documents.untilPoll(new Date());
      const imports = importsStore(watched);
      for (const userId of [null, memberId]) await imports.list(organisationId, { ...one, userId });
      for (const status of [[], ['FAILED']] as const)
        for (const cursor of ['', '7']) await imports.items(organisationId, newId(), { limit: 1, cursor, status });
      await imports.counts(organisationId, [newId(), newId()]);
      await imports.take({ organisation: '', except: ['busy'] }, new Date(), { holder: newId(), until: new Date() });
      const by = serviceActorContext('content', organisationId, '');
      const made = {
        ...{ id: newId(), userId: memberId, total: 1, collection: '', metadata: {}, made: {}, createdAt: new Date() },
      };
      await imports.cancel(by, made, new Date());
      await imports.retry(by, made, new Date());
      await imports.untilDue(new Date());
      await imports.removeOld(new Date(0), new AbortController().signal);
      const policies = retentionPoliciesStore(watched);
      await policies.takeDue(new Date(), new Date());
      await policies.untilDue(new Date());
      for (const since of ['CREATED', 'CHANGED'] as const) {
        const older = { since, before: new Date() };
        for (const filed of [{}, { collection: 'hr' }, { except: ['hr', 'contracts'] }])
          await documents.olderThan(organisationId, { ...older, ...filed }, one);
        await conversationsStore(watched).olderThan(organisationId, older, one);
        await transcriptionsStore(watched).olderThan(organisationId, older, one);
      }
      for (const visibility of [null, 'restricted', 'organisation'] as const)
        await assistantsStore(watched).list(organisationId, { ...one, visibility });
      await assistantsStore(watched).versions(organisationId, newId(), one);
    }
  }

  it('has an index that finds and sorts', async () => {
    const queries = watchQueries(database.unguarded);
    await useSearch(database);
    await useConventions(database);
    await useLists(database);
    expect(queries.count()).toBeGreaterThan(100);
    expect(await queries.unindexed()).toEqual([]);
  });
});
