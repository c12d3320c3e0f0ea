import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseCloudEvent, toCloudEvent } from '@platform-backend/events';
import { borrowed, commit } from '@platform-backend/events/testing';
import { mongoInbox, mongoOutbox } from '../src/index.ts';
import { by, commitTo, openStore, shelfStore, type MongoStore } from './event-store.ts';
import { watchQueries } from './watched-queries.ts';

let store: MongoStore;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

describe('every query of this library', () => {
  it('has an index', async () => {
    const { database } = store;
    const queries = watchQueries(database.unguarded);
    const outbox = mongoOutbox(database);
    const inbox = mongoInbox(database);
    const shelves = shelfStore(database);
    const commits = { commit: commitTo(database) };
    const [first = ''] = await commit(commits, borrowed('a'), borrowed('b'), borrowed('c'));
    const event = parseCloudEvent(JSON.stringify(toCloudEvent(borrowed('a', { id: first }))));
    await inbox.once('library-on-book-borrowed', event, () => Promise.resolve());
    await inbox.prune(-1);
    await outbox.publishNext(10, (messages) =>
      Promise.resolve({
        published: new Set(messages.slice(1).map(({ id }) => id)),
        permanentFailures: new Map(messages.slice(0, 1).map(({ id }) => [id, 'too large'])),
      }),
    );
    await outbox.backlog();
    await outbox.listSetAside();
    await outbox.retrySetAside();
    await outbox.publishNext(10, () => Promise.reject(new Error('broke off'))).catch(() => undefined);
    for await (const _part of outbox.history({ from: new Date(0), to: new Date() }));
    await outbox.prune(-1);
    await commit(commits, borrowed('a'));
    await shelves.find('org_1', 'org_1 a');
    const request = { limit: 1, cursor: '', includeTotal: true };
    const { nextCursor } = await shelves.page('org_1', request, { filter: {}, order: 'asc' });
    await shelves.page('org_1', { ...request, cursor: nextCursor }, { filter: {}, order: 'desc' });
    await shelves.update(by('org_1'), 'org_1 a', () => ({ state: undefined, events: [], result: undefined }));
    await shelves.removeAll('org_1', {});
    expect(queries.count()).toBeGreaterThan(20);
    expect(await queries.unindexed()).toEqual([]);
  });
});
