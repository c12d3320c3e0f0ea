import { describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import type { PassageStore } from '../domain/passage-store.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { openedIndexes } from './opened-indexes.ts';
import { sameBudgets } from './organisation-index.ts';

describe('the thread of the indexes', () => {
  it('serves organisations in turn, however much one of them asks', async () => {
    const served: string[] = [];
    const reply: IndexReply = {
      isOpen: true,
      found: [],
      passages: { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 },
      bytes: 0,
      leftOut: [],
    };
    const thread = {
      ask: async (request: IndexRequest) => {
        await new Promise((soon) => setImmediate(soon));
        if (request.do === 'search') served.push(request.keys[0]?.split('/')[0] ?? '');
        return reply;
      },
      generation: () => 1,
      close: () => Promise.resolve(),
    };
    const passageStore = {} as PassageStore;
    const options = { passageStore, embeddings: { model: 'm' }, clock: fixedClock(new Date(0)) };
    const indexes = openedIndexes({ ...options, budgets: sameBudgets(10), maxBytes: 1 }, thread);
    const search = (organisationId: string) => indexes.search(organisationId, { text: 'x', mode: 'keyword', limit: 1 });
    const busy = Array.from({ length: 16 }, () => search('busy'));
    await search('neighbour');
    expect(served.filter((name) => name === 'busy').length).toBeLessThanOrEqual(2);
    await Promise.all(busy);
  });
});
