import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import type { PassageSearch } from '../indexes/passage-search.ts';

describe('an index of our own', () => {
  it('is the newest where there is more than an index takes, and other organisations keep their answers', async () => {
    const [large, small] = [newId(), newId()];
    const parts = await openSearchUnderTest();
    const { passages, search } = parts.replica(encoderOf('m').embeddings, { maxPassages: 100, maxBytes: 1 });
    const found = async (organisationId: string, limit = 10) => {
      const { hits } = await search.search(organisationId, { text: 'bees', mode: 'hybrid', limit });
      return hits.map(({ id }) => id);
    };
    const document = (id: string) => ({ kind: 'DOCUMENT', id, title: '', createdAt: parts.clock.now() }) as const;
    await passages.replace(small, document('s'), passagesOf('bees'));
    for (let id = 0; id < 11; id += 1) {
      const createdAt = new Date(id * 1000);
      const texts = Array.from({ length: 10 }, (_, at) => `bees ${id} ${at}`);
      await passages.replace(large, { ...document(`d${id}`), createdAt }, passagesOf(...texts));
    }
    const answer = await search.search(large, { text: 'bees', mode: 'keyword', limit: 50 });
    expect(answer.isComplete).toBe(false);
    expect(new Set(answer.hits.map(({ id }) => id))).not.toContain('d0');
    expect(await found(small)).toEqual(['s']);
    expect(await found(large, 1)).toHaveLength(1);

    // Chat has room of its own: however much there is, it takes none of the documents'.
    const ofDocuments = { text: 'bees', mode: 'keyword', limit: 200, kinds: ['DOCUMENT'] } as const;
    const before = (await search.search(large, ofDocuments)).hits.map(({ id }) => id).toSorted();
    for (let id = 0; id < 12; id += 1) {
      const source = { kind: 'MESSAGE', id: `m${id}`, title: '', createdAt: new Date(1e12 + id) } as const;
      await passages.replace(large, source, passagesOf(...Array.from({ length: 10 }, (_, at) => `wax ${id} ${at}`)));
    }
    expect((await search.search(large, ofDocuments)).hits.map(({ id }) => id).toSorted()).toEqual(before);
    const wax = { text: 'wax', mode: 'keyword', limit: 50 } as const;
    expect(await search.search(large, wax)).toMatchObject({ isComplete: false });
    const both = { text: 'wax bees', mode: 'keyword', limit: 200 } as const;
    expect(new Set((await search.search(large, both)).hits.map(({ kind }) => kind)).size).toBe(2);

    // Where room returns, what was left out is read in again.
    await passages.remove(large, 'DOCUMENT', ['d5', 'd6']);
    const isWhole = async () => (await search.search(large, ofDocuments)).isComplete;
    await waitFor(isWhole, { what: 'what was left out to be read in' });
    const again = new Set((await search.search(large, ofDocuments)).hits.map(({ id }) => id));
    expect(again).toContain('d0');
    expect(again).not.toContain('d5');
    await search.close();
    await parts.close();
  });

  it('has what was published, however long its write or its commit was held up', async () => {
    const organisationId = newId();
    const parts = await openSearchUnderTest();
    const { clock, database, passageStore } = parts;
    const { passages, search } = parts.replica(encoderOf('m').embeddings);
    const found = async () => {
      const { hits } = await search.search(organisationId, { text: 'bees', mode: 'keyword', limit: 10 });
      return hits.map(({ id }) => id);
    };
    const source = (id: string) => ({ kind: 'DOCUMENT', id, title: '', createdAt: clock.now() }) as const;
    /** Lets time go by in front of one of its steps, and meanwhile the index looks at all that has changed. */
    const held = async (work: (wait: () => Promise<unknown>) => Promise<unknown>) => {
      const [waits, goesOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const done = work(() => {
        waits.resolve(undefined);
        return goesOn.promise;
      });
      await waits.promise;
      clock.advance(2 * 60_000);
      const before = await found();
      goesOn.resolve(undefined);
      await done;
      return before;
    };

    expect(await found()).toEqual([]);
    const first = source('first');
    const before = await held((wait) =>
      passages.replace(organisationId, first, passagesOf('bees'), { present: () => wait().then(() => first) }),
    );
    expect(before).toEqual([]);
    expect(await found()).toEqual(['first']);

    const second = source('second');
    const generation = await passageStore.begin(organisationId, second, clock.now());
    await passageStore.add(organisationId, second, generation, passagesOf('bees'));
    await held((wait) =>
      database.transaction(organisationId, async () => {
        await passageStore.publish(organisationId, { ...second, generation, model: '', passages: 1 }, clock);
        await wait();
      }),
    );
    // Changes that were committed late are looked for less often.
    clock.advance(60_000);
    expect(await found()).toHaveLength(2);
    await search.close();
    await parts.close();
  });

  describe('where there is room for one organisation alone', () => {
    let parts: SearchUnderTest;
    const [ours, theirs] = [newId(), newId()];
    const held = Promise.withResolvers<undefined>();
    let search: PassageSearch;
    const found = async (organisationId: string, text = 'bees', mode: 'keyword' | 'hybrid' = 'keyword') =>
      (await search.search(organisationId, { text, mode, limit: 10 })).hits.map(({ id }) => id);

    beforeAll(async () => {
      parts = await openSearchUnderTest();
      const { embeddings } = encoderOf('m');
      const waiting: typeof embeddings = {
        ...embeddings,
        embed: async (texts, options) => {
          if (texts.includes('slow bees')) await held.promise;
          return embeddings.embed(texts, options);
        },
      };
      const made = parts.replica(waiting, { maxBytes: 1 });
      ({ search } = made);
      const source = { kind: 'DOCUMENT', title: '', createdAt: parts.clock.now() } as const;
      await made.passages.replace(ours, { ...source, id: 'ours' }, passagesOf('bees dance'));
      await made.passages.replace(theirs, { ...source, id: 'theirs' }, passagesOf('bees sleep'));
    });
    afterAll(async () => {
      await search.close();
      await parts.close();
    });

    it('answers a question even where others take its room before the index is asked', async () => {
      const answer = found(ours, 'slow bees', 'hybrid');
      expect(await found(theirs)).toEqual(['theirs']);
      held.resolve(undefined);
      expect(await answer).toEqual(['ours']);
    });

    it('goes on answering when others take its room while it reads what has changed', async () => {
      expect(await found(ours)).toEqual(['ours']);
      const reading = Promise.withResolvers<undefined>();
      const goOn = Promise.withResolvers<undefined>();
      const store = { ...parts.passageStore };
      const spied = jest.spyOn(parts.passageStore, 'changes').mockImplementationOnce(async (...wanted) => {
        reading.resolve(undefined);
        await goOn.promise;
        return store.changes(...wanted);
      });
      const answer = found(ours);
      await reading.promise;
      expect(await found(theirs)).toEqual(['theirs']);
      goOn.resolve(undefined);
      expect(await answer).toEqual(['ours']);
      expect(await found(ours)).toEqual(['ours']);
      spied.mockRestore();
    });
  });
});
