import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import type { Reranker } from '../domain/reranker.ts';
import type { Hit, Search, SearchQuery } from '../domain/search.ts';
import { RERANKED, rerankedSearch } from './reranked-search.ts';

const hits = (count: number): readonly Hit[] =>
  Array.from(
    { length: count },
    (_, at) =>
      ({
        ...{ kind: 'DOCUMENT', id: String(at), title: 'rules.pdf', text: `text ${at}` },
        ...{ score: 1 - at / count, isRelevant: at === 0 },
      }) as Hit,
  );
const query: SearchQuery = { text: 'How long?', mode: 'hybrid', limit: 3 };

/** A search that finds so many, with a reranker that scores them so. */
function under(found: number, rerank: Reranker['rerank'], timeoutMs = 60_000, now = () => 0) {
  const [asked, counted, warned]: [SearchQuery[], string[], unknown[]] = [[], [], []];
  const search: Search = {
    search: (_organisationId, wanted) => {
      asked.push(wanted);
      return Promise.resolve({ hits: hits(found).slice(0, wanted.limit), mode: wanted.mode, isComplete: true });
    },
  };
  const reranked = rerankedSearch({
    ...{ search, timeoutMs, now },
    reranker: { model: 'm', relevantFrom: 0.5, rerank },
    logger: { warn: (details: unknown) => warned.push(details) },
    count: (outcome) => counted.push(outcome),
  });
  const ask = async (wanted: Partial<SearchQuery> = {}) =>
    (await reranked.search('org_1', { ...query, ...wanted })).hits.map((hit) => [hit.id, hit.score, hit.isRelevant]);
  return { ask, asked, counted, warned };
}

describe('a search whose best are reranked', () => {
  const lastFirst: Reranker['rerank'] = (_question, texts) =>
    Promise.resolve(texts.map((text) => Number(text.split(' ').at(-1)) / 100));

  it('has them in the order of their scores, which say whether any fits', async () => {
    const read: string[] = [];
    const { ask, asked, counted } = under(100, (question, texts, options) => {
      read.push(question, ...texts, options.organisationId);
      return lastFirst(question, texts, options);
    });
    expect(await ask()).toEqual([
      ['39', 0.39, false],
      ['38', 0.38, false],
      ['37', 0.37, false],
    ]);
    expect(asked).toMatchObject([{ limit: RERANKED }]);
    expect([read.length, read[0], read[1], read.at(-1)]).toEqual([42, 'How long?', 'rules.pdf\n\ntext 0', 'org_1']);
    expect(await ask({ relevantOnly: true })).toEqual([]);
    expect(counted).toEqual(['reranked', 'reranked']);
  });

  it('keeps behind them what was not read, which does not fit', async () => {
    const { ask } = under(60, () => Promise.resolve(Array.from({ length: RERANKED }, () => 0.8)));
    const found = await ask({ limit: 50 });
    expect(found).toHaveLength(50);
    expect(found[39]).toEqual(['39', 0.8, true]);
    expect(found[40]).toEqual(['40', expect.closeTo(0.8 / 3), false]);
  });

  it('stays as it was found where the reranker fails or is late, and says so', async () => {
    const never = new Promise<never>(() => undefined);
    let isAborted = false;
    for (const rerank of [
      (() => Promise.reject(unavailable(new Error('away')))) satisfies Reranker['rerank'],
      ((_question, _texts, { signal }) => {
        signal.addEventListener('abort', () => (isAborted = true));
        return never;
      }) satisfies Reranker['rerank'],
    ]) {
      const { ask, counted, warned } = under(5, rerank, 1);
      expect((await ask()).map(([id]) => id)).toEqual(['0', '1', '2']);
      expect((await ask({ relevantOnly: true })).map(([id]) => id)).toEqual(['0']);
      expect(counted).toEqual(['left_as_found', 'left_as_found']);
      expect(warned).toMatchObject([{ event: 'search.reranking_failed' }, { event: 'search.reranking_failed' }]);
    }
    expect(isAborted).toBe(true);
  });

  it('does not wait for a reranker that has failed again and again, until one search finds that it answers', async () => {
    let [isDown, asked, time] = [true, 0, 0];
    const { ask, counted, warned } = under(
      5,
      (question, texts, options) => {
        asked += 1;
        return isDown ? Promise.reject(unavailable(new Error('away'))) : lastFirst(question, texts, options);
      },
      60_000,
      () => time,
    );
    for (let search = 0; search < 5; search += 1) expect((await ask())[0]?.[0]).toBe('0');
    expect(asked).toBe(3);
    expect(counted).toEqual(['left_as_found', 'left_as_found', 'left_as_found', 'paused', 'paused']);
    expect(warned).toContainEqual({ event: 'search.reranking_paused', organisationId: 'org_1', seconds: 30 });
    isDown = false;
    time = 30_000;
    expect([(await ask())[0]?.[0], (await ask())[0]?.[0]]).toEqual(['4', '4']);
  });

  it('is not reranked where it is by words or by meaning alone, or has found nothing', async () => {
    const { ask, counted, asked } = under(5, lastFirst);
    expect((await ask({ mode: 'keyword' })).map(([id]) => id)).toEqual(['0', '1', '2']);
    expect(asked).toMatchObject([{ limit: 3 }]);
    const none = under(0, lastFirst);
    expect(await none.ask()).toEqual([]);
    expect([...counted, ...none.counted]).toEqual([]);
  });
});
