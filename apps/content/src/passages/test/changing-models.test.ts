import { describe, expect, it, jest } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { repetitions } from '@platform-backend/testing';
import { encoderOf, openSearchUnderTest, passagesOf } from '../../../test/search-under-test.ts';

describe('embedding by another model', () => {
  it('goes on wherever a replica was killed, and a question is answered by meaning at every moment', async () => {
    const parts = await openSearchUnderTest();
    const old = encoderOf('old');
    const { embeddings } = encoderOf('new', ['bees', 'wax', 'honey', 'hives']);
    const steps = ['takeStale', 'setVectors', 'setModel', 'switchTo', 'promote'] as const;
    const kills = steps.flatMap((step) =>
      [1, 2].flatMap((time) => [true, false].map((before) => ({ step, time, before }))),
    );
    const each = repetitions({ usual: 3, long: 1 });
    for (const { step, time, before } of kills.filter((_, at) => at % each === 0)) {
      const organisationId = newId();
      const { passages, search: first } = parts.replica(old.embeddings);
      // Too much to be taken at once, so that every step comes twice.
      for (const id of ['a', 'b']) {
        const source = { kind: 'DOCUMENT', id, title: '', createdAt: parts.clock.now() } as const;
        const others = Array.from({ length: 150 }, (_, at) => `bread ${String(at)}`);
        await passages.replace(organisationId, source, passagesOf('bees', ...others));
      }
      const store = { ...parts.passageStore };
      let calls = 0;
      const spied = jest.spyOn(parts.passageStore, step).mockImplementation((async (...wanted: never[]) => {
        const isKilled = (calls += 1) === time;
        if (isKilled && before) throw new Error('killed');
        const answer = await (store[step] as (...wanted: never[]) => Promise<unknown>)(...wanted);
        if (isKilled) throw new Error('killed');
        return answer;
      }) as never);
      const killed = parts.replica(embeddings, { before: old.embeddings });
      await killed.reembed().catch(() => undefined);
      expect(calls).toBeGreaterThanOrEqual(time);
      spied.mockRestore();
      const other = parts.replica(embeddings, { before: old.embeddings });
      const bees = async () => {
        const { hits } = await other.search.search(organisationId, { text: 'bees', mode: 'semantic', limit: 2 });
        return hits.map(({ text }) => text);
      };
      expect(await bees()).toEqual(['bees', 'bees']);
      parts.clock.advance(120_001);
      await other.reembed();
      expect(await bees()).toEqual(['bees', 'bees']);
      const models = await Promise.all(['a', 'b'].map((id) => parts.passageStore.find(organisationId, 'DOCUMENT', id)));
      expect(models.map((source) => [source?.model, source?.nextModel])).toEqual([
        ['new', undefined],
        ['new', undefined],
      ]);
      for (const search of [first, killed.search, other.search]) await search.close();
    }
    await parts.close();
  });

  it('takes many sources at a time, of one organisation after the other', async () => {
    const parts = await openSearchUnderTest();
    const organisations = [newId(), newId()].toSorted();
    const old = parts.replica(encoderOf('old').embeddings);
    for (const organisationId of organisations)
      for (let number = 0; number < 40; number += 1) {
        const source = { kind: 'MESSAGE', id: String(number), title: '', createdAt: parts.clock.now() } as const;
        await old.passages.replace(organisationId, source, passagesOf(`bees ${number}`));
      }
    const { embeddings } = encoderOf('new');
    const asked: string[] = [];
    const { search, reembed } = parts.replica({
      ...embeddings,
      embed: (texts, options) => {
        asked.push(`${organisations.indexOf(options.organisationId)}: ${texts.length}`);
        return embeddings.embed(texts, options);
      },
    });
    expect(await parts.passageStore.countStale('new', 100)).toBe(80);
    await reembed();
    expect(asked).toEqual(['0: 32', '0: 8', '1: 32', '1: 8']);
    expect(await parts.passageStore.countStale('new', 100)).toBe(0);
    for (const one of [search, old.search]) await one.close();
    await parts.close();
  });

  it('goes on with what is left of a source where a replica was stopped in the midst of it', async () => {
    const parts = await openSearchUnderTest();
    const organisationId = newId();
    const source = { kind: 'DOCUMENT', id: 'd', title: '', createdAt: parts.clock.now() } as const;
    const texts = Array.from({ length: 70 }, (_, at) => `bees ${at}`);
    const old = parts.replica(encoderOf('old').embeddings);
    await old.passages.replace(organisationId, source, passagesOf(...texts));
    const encoder = encoderOf('new');
    const stopping = new AbortController();
    const store = { ...parts.passageStore };
    const spied = jest.spyOn(parts.passageStore, 'setVectors').mockImplementationOnce(async (...wanted) => {
      await store.setVectors(...wanted);
      stopping.abort();
    });
    const { search, reembed } = parts.replica(encoder.embeddings);
    await reembed(stopping.signal);
    spied.mockRestore();
    expect(encoder.embedded()).toBe(32);
    parts.clock.advance(120_001);
    await reembed();
    expect(encoder.embedded()).toBe(70);
    expect(await parts.passageStore.find(organisationId, 'DOCUMENT', 'd')).toMatchObject({ model: 'new' });

    // And where it got another name, which is part of what is embedded.
    const rename = (title: string) => old.passages.relabel(organisationId, { ...source, title });
    const stopInTheMidst = async () => {
      const stop = new AbortController();
      const stopped = jest.spyOn(parts.passageStore, 'setVectors').mockImplementationOnce(async (...wanted) => {
        await store.setVectors(...wanted);
        stop.abort();
      });
      await reembed(stop.signal);
      stopped.mockRestore();
      parts.clock.advance(120_001);
    };
    await rename('Wasps');
    await stopInTheMidst();
    await reembed();
    expect(encoder.embedded()).toBe(140);
    // Another name in between leaves nothing of what was made by the one before.
    await rename('Ants');
    await stopInTheMidst();
    await rename('Wasps');
    await reembed();
    expect(encoder.embedded()).toBe(140 + 32 + 32);
    const { hits } = await search.search(organisationId, { text: 'bees', mode: 'semantic', limit: 1 });
    expect(hits[0]?.title).toBe('Wasps');
    expect(await parts.passageStore.find(organisationId, 'DOCUMENT', 'd')).toMatchObject({ model: 'new' });
    await search.close();
    await old.search.close();
    await parts.close();
  });
});
