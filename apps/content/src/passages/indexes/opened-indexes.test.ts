import { describe, expect, it } from '@jest/globals';
import { fixedClock, requireCaller, withCaller } from '@platform-backend/core';
import type { PassageStore, SourceChange, StoredSource } from '../domain/passage-store.ts';
import { sameBudgets } from './index-parts.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { openedIndexes } from './opened-indexes.ts';

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
    const options = { passageStore, modelOf: () => Promise.resolve('m'), clock: fixedClock(new Date(0)) };
    const indexes = openedIndexes({ ...options, budgets: sameBudgets(10), maxBytes: 1 }, thread);
    const search = (organisationId: string) => indexes.search(organisationId, { text: 'x', mode: 'keyword', limit: 1 });
    const busy = Array.from({ length: 16 }, () => search('busy'));
    await search('neighbour');
    expect(served.filter((name) => name === 'busy').length).toBeLessThanOrEqual(2);
    await Promise.all(busy);
  });
});

describe('an index of an organisation', () => {
  const limits = { budgets: sameBudgets(1_000), maxBytes: 1_000_000 };
  const nothing: IndexReply = {
    isOpen: true,
    found: [],
    bytes: 0,
    leftOut: [],
    passages: { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 },
  };
  const documents = Array.from({ length: 1_000 }, (_, number): StoredSource => ({
    kind: 'DOCUMENT',
    id: `doc-${String(number)}`,
    title: 'x',
    createdAt: new Date(0),
    generation: `set-${String(number)}`,
    model: 'm',
    passages: 1,
  }));
  const changeOf = ({ kind, id }: StoredSource, present?: StoredSource): SourceChange => ({
    kind,
    id,
    position: { changedAt: new Date(0), key: id },
    ...(present && { present }),
  });

  function opened(wanted: {
    readonly reply: (request: IndexRequest) => IndexReply;
    readonly newest: (...page: Parameters<PassageStore['newest']>) => readonly StoredSource[];
    readonly changes: () => readonly SourceChange[];
  }) {
    const asked: IndexRequest[] = [];
    const thread = {
      ask: async (request: IndexRequest) => {
        await new Promise((soon) => setImmediate(soon));
        asked.push(request);
        return wanted.reply(request);
      },
      generation: () => 1,
      close: () => Promise.resolve(),
    };
    const passageStore = {
      passages: () => Promise.resolve([]),
      newest: (...page) => Promise.resolve(wanted.newest(...page)),
      changes: () => Promise.resolve(wanted.changes()),
    } as Partial<PassageStore> as PassageStore;
    const options = { passageStore, modelOf: () => Promise.resolve('m'), clock: fixedClock(new Date(0)), ...limits };
    return { asked, indexes: openedIndexes(options, thread) };
  }

  it('is whole again, and at rest, once all that was left out is read in, to the last full page', async () => {
    let pages = 0;
    let leftOut = documents.slice(-1);
    let gone: readonly SourceChange[] = [];
    const { indexes } = opened({
      reply: ({ do: what }) => {
        if (what !== 'put' || leftOut.length === 0) return nothing;
        const full = { ...nothing, leftOut, passages: { ...nothing.passages, DOCUMENT: 500 } };
        leftOut = [];
        return full;
      },
      newest: (_organisation, kind, _limit, before) => {
        pages += 1;
        return kind === 'DOCUMENT' && !before ? documents : [];
      },
      changes: () => gone,
    });
    const query = { text: 'x', mode: 'keyword', kinds: ['DOCUMENT'], limit: 1 } as const;
    await indexes.fresh('org', ['content']);
    await expect(indexes.search('org', query)).resolves.toMatchObject({ isComplete: false });
    gone = documents.slice(0, 1).map((source) => changeOf(source));
    await indexes.fresh('org', ['content']);
    for (let tick = 0; tick < 100; tick += 1) await new Promise((soon) => setImmediate(soon));
    const read = pages;
    for (let tick = 0; tick < 100; tick += 1) await new Promise((soon) => setImmediate(soon));
    expect(pages).toBe(read);
    await expect(indexes.search('org', query)).resolves.toMatchObject({ isComplete: true });
  });

  it('is built to its end, whoever has asked for it first and leaves', async () => {
    const { indexes } = opened({
      reply: () => nothing,
      newest: () => {
        requireCaller();
        return [];
      },
      changes: () => [],
    });
    const caller = new AbortController();
    const built = withCaller(caller, () => indexes.fresh('org', ['content']));
    caller.abort(new Error('hung up'));
    await built;
    expect(indexes.counts()).toMatchObject({ open: 1, builds: 1 });
  });

  it('is told again of what it may not have heard of', async () => {
    const [document] = documents as [StoredSource];
    let changes: readonly SourceChange[] = [];
    let isUnavailable = false;
    const { asked, indexes } = opened({
      reply: (request) => {
        if (isUnavailable && (request.do === 'put' || request.do === 'drop')) throw new Error('too much waits');
        return nothing;
      },
      newest: () => [],
      changes: () => changes,
    });
    const toldOf = (what: string) => asked.filter((request) => request.do === what).length;
    await indexes.fresh('org', ['content']);
    for (const [what, change] of [
      ['put', changeOf(document, document)],
      ['drop', changeOf(document)],
    ] as const) {
      [changes, isUnavailable] = [[change], true];
      await expect(indexes.fresh('org', ['content'])).rejects.toThrow('too much waits');
      isUnavailable = false;
      await indexes.fresh('org', ['content']);
      expect(toldOf(what)).toBe(2);
    }
  });
});
