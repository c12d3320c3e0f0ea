import { describe, expect, it } from '@jest/globals';
import { citedSources } from '../../conversations/domain/citations.ts';
import type { Hit, Search, SearchQuery } from '../../passages/domain/search.ts';
import { assistantTools, SEARCH_WAS_INCOMPLETE, type ToolScope } from './assistant-tools.ts';

const all = { documents: true, conventions: true, datasets: true, pipelines: true, runs: true };

const everything: ToolScope = {
  organisationId: 'org_1',
  memberId: 'ada',
  rights: all,
  assistant: {
    ...{ id: 'a', name: 'A', instructions: '', tools: ['search_documents', 'read_conventions'] },
    ...{ documentIds: [], collections: [], model: '', temperature: null, toolEffects: 'ask', toolServerIds: [] },
    documentLabels: [],
  },
  documents: undefined,
  quotesOnly: false,
  onLeftOut: () => undefined,
};

const hit = (score: number, isRelevant = true): Hit => ({
  ...{
    kind: 'DOCUMENT',
    id: String(score),
    title: 'T',
    createdAt: new Date(0),
    ordinal: 0,
    score,
    isRelevant,
    start: 0,
    end: 9,
  },
  text: 'All of it.',
  quote: { text: 'of\nit', start: 4, end: 9, highlights: [] },
});

function searched(scope: Partial<ToolScope>, hits: readonly Hit[] = [], isComplete = true) {
  const queries: SearchQuery[] = [];
  const search: Search = {
    search: (organisationId, query) => {
      expect(organisationId).toBe('org_1');
      queries.push(query);
      return Promise.resolve({ hits, mode: 'hybrid', isComplete });
    },
  };
  const tools = assistantTools(search, { ...everything, ...scope }, citedSources());
  const use = (name: string, query = 'q') =>
    tools.find((tool) => tool.name === name)?.run({ query }, new AbortController().signal);
  return { names: tools.map(({ name }) => name), queries, use };
}

const around = (start: number, context: readonly [number, number], text: string): Hit => ({
  ...{ ...hit(1), id: 'd', start, end: start + 10 },
  context: { text, start: context[0], end: context[1] },
});

describe('the tools of an assistant', () => {
  it('show each passage with those around it, and what was shown with a better one not again', async () => {
    const found = [
      around(10, [0, 30], 'one two three'),
      around(20, [10, 40], 'two three four'),
      around(40, [30, 60], 'five'),
    ];
    const { use, queries } = searched({}, found);
    expect(await use('search_documents')).toBe('[1] T:\none two three\n\n[1] T:\nfive');
    expect(queries).toMatchObject([{ contextPassages: 1, maxPerSource: 4 }]);
  });

  it('show a passage that stands beside one alone that was not shown by itself', async () => {
    const found = [
      around(10, [0, 30], 'one two three'),
      around(20, [10, 40], 'two three four'),
      around(30, [20, 50], 'three four five'),
    ];
    expect(await searched({}, found).use('search_documents')).toBe('[1] T:\none two three\n\n[1] T:\nthree four five');
  });

  it('are those that it has and its caller may use', () => {
    expect(searched({}).names).toEqual(['search_documents', 'read_conventions']);
    expect(searched({ rights: { ...all, conventions: false } }).names).toEqual(['search_documents']);
    expect(searched({ rights: { ...all, documents: false, conventions: false } }).names).toEqual([]);
    const assistant = { ...everything.assistant, tools: [] };
    expect(searched({ assistant }).names).toEqual([]);
  });

  it('say what was left out of a search, to the model and to whoever reads the answer', async () => {
    let leftOut = 0;
    const onLeftOut = () => {
      leftOut += 1;
    };
    const { use } = searched({ onLeftOut }, [hit(1)], false);
    expect(await use('search_documents')).toContain(SEARCH_WAS_INCOMPLETE);
    expect(leftOut).toBe(1);
    const quoting = searched({ onLeftOut, quotesOnly: true }, [hit(1)], false);
    expect(await quoting.use('read_conventions')).not.toContain(SEARCH_WAS_INCOMPLETE);
    expect(leftOut).toBe(2);
    expect(await searched({ onLeftOut }, [hit(1)]).use('search_documents')).not.toContain(SEARCH_WAS_INCOMPLETE);
    expect(leftOut).toBe(2);
  });

  it('look at documents in scope alone, and at nothing that the caller may not read', async () => {
    const within = searched({ documents: [{ sourceIds: ['d1'] }, { collections: ['hr'] }] });
    await within.use('search_documents');
    expect(within.queries).toMatchObject([
      { kinds: ['DOCUMENT'], sourceIds: ['d1'], memberId: 'ada' },
      { kinds: ['DOCUMENT'], collections: ['hr'], memberId: 'ada' },
      { kinds: ['CONVENTION'], memberId: 'ada' },
    ]);
    const documents = searched({ rights: { ...all, conventions: false } });
    await documents.use('search_documents');
    expect(documents.queries).toMatchObject([{ kinds: ['DOCUMENT'] }]);
    const conventions = searched({ rights: { ...all, documents: false } });
    await conventions.use('search_documents');
    expect(conventions.queries).toMatchObject([{ kinds: ['CONVENTION'] }]);
  });

  it('show passages with their numbers, or only what may be quoted of the best', async () => {
    const hits = [hit(1), hit(0.6), hit(0.2)];
    expect(await searched({}, hits).use('read_conventions')).toBe(
      '[1] T:\nAll of it.\n\n[2] T:\nAll of it.\n\n[3] T:\nAll of it.',
    );
    expect(await searched({ quotesOnly: true }, hits).use('read_conventions')).toBe(
      '> of it\n\nT [1]\n\n> of it\n\nT [2]',
    );
    const beside = [hit(1, false), hit(0.9), hit(0.8, false)];
    expect(await searched({ quotesOnly: true }, beside).use('read_conventions')).toBe('> of it\n\nT [1]');
    expect(await searched({ quotesOnly: true }, [hit(1, false)]).use('read_conventions')).toBe('');
    expect(await searched({}, [hit(1, false)]).use('read_conventions')).toBe('[1] T:\nAll of it.');
  });

  it('search for nothing without a question, and for none that is too long', async () => {
    const { queries, use } = searched({});
    await use('read_conventions', ' ');
    await use('read_conventions', 'x'.repeat(100_000));
    await use('read_conventions', `x${'😀'.repeat(50_000)}`);
    expect(queries.map(({ text }) => text.length)).toEqual([2000, 1999]);
  });
});
