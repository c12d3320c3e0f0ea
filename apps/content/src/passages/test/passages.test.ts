import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId, upstreamFailed } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import type { Opening } from '../../access/domain/opening.ts';
import type { PassageSearch } from '../indexes/passage-search.ts';

/** Every implementation of the search does the same, each in its time. */
describe.each(['own', 'mongodb'] as const)('what can be found by the search %s', (kind) => {
  let parts: SearchUnderTest;
  const opened: PassageSearch[] = [];
  beforeAll(async () => {
    parts = await openSearchUnderTest({ kind });
  });
  afterEach(async () => {
    for (const search of opened.splice(0)) await search.close();
  });
  afterAll(() => parts.close());

  const replica = (...options: Parameters<SearchUnderTest['replica']>) => {
    const made = parts.replica(...options);
    opened.push(made.search);
    const found = async (organisationId: string, text: string, query: object = {}) => {
      const { hits } = await made.search.search(organisationId, { text, mode: 'hybrid', limit: 10, ...query });
      return hits.map(({ id, text: passage }) => `${id}: ${passage}`);
    };
    /** As whoever changes it does, and whoever follows that up. */
    const relabelled = async (...changed: Parameters<typeof made.passages.relabel>) => {
      await made.passages.relabel(...changed);
      await made.passages.describe(...changed);
    };
    return { ...made, found, relabelled };
  };
  /** Our own index has everything at once, that of MongoDB follows the collection; what is gone is found by neither. */
  const eventually = async (check: () => Promise<void>): Promise<void> => {
    const passes = () => check().then(() => true);
    await (kind === 'own' ? check() : waitFor(passes, { what: 'the index to follow', timeout: 10_000 }));
  };
  const document = (id: string, title = 'a document') =>
    ({ kind: 'DOCUMENT', id, title, createdAt: parts.clock.now() }) as const;

  it('is what a source has now, to its organisation alone and on every replica at once', async () => {
    const [ours, theirs] = [newId(), newId()];
    const [one, other] = [replica(encoderOf('m').embeddings), replica(encoderOf('m').embeddings)];
    await one.passages.replace(ours, document('d'), passagesOf('bees dance', 'bread rises'));
    await eventually(async () => expect(await one.found(ours, 'dancing')).toContain('d: bees dance'));
    await eventually(async () => expect(await other.found(ours, 'bread', { limit: 1 })).toEqual(['d: bread rises']));
    expect(await other.found(theirs, 'bread')).toEqual([]);

    await other.passages.replace(ours, document('d'), passagesOf('clocks tick'));
    await eventually(async () => expect(await one.found(ours, 'bees dance')).toEqual(['d: clocks tick']));
    expect(await parts.count(ours)).toBe(1);

    await one.passages.remove(ours, 'DOCUMENT', ['d']);
    await one.passages.remove(ours, 'DOCUMENT', ['d', 'unknown']);
    expect(await other.found(ours, 'clocks')).toEqual([]);
    expect(await parts.count(ours)).toBe(0);
  });

  it('is nothing of what a committed change has hidden, and the next set takes the place of what is left', async () => {
    const organisationId = newId();
    const { passages, found } = replica(encoderOf('m').embeddings);
    const { database } = parts;
    await passages.replace(organisationId, document('d'), passagesOf('bees'));
    await eventually(async () => expect(await found(organisationId, 'bees')).toEqual(['d: bees']));
    const failed = database.transaction(organisationId, async () => {
      await passages.hide(organisationId, 'DOCUMENT', ['d']);
      throw new Error('the change is refused');
    });
    await expect(failed).rejects.toThrow('the change is refused');
    expect(await found(organisationId, 'bees')).toEqual(['d: bees']);
    await database.transaction(organisationId, () => passages.hide(organisationId, 'DOCUMENT', ['d']));
    expect(await found(organisationId, 'bees')).toEqual([]);

    await passages.replace(organisationId, document('d'), passagesOf('clocks'));
    await eventually(async () => expect(await found(organisationId, 'bees clocks')).toEqual(['d: clocks']));
    expect(await parts.count(organisationId)).toBe(1);
  });

  it('is what whoever asks may open, however much of others is nearer, and from the change of that on', async () => {
    const organisationId = newId();
    const { passages, found, relabelled } = replica(encoderOf('m').embeddings);
    const restricted = (id: string) => ({ ...document(id), readers: ['user:ann', 'group:board'] });
    for (let at = 0; at < 12; at += 1)
      await passages.replace(organisationId, restricted(`closed-${String(at)}`), passagesOf('bees bees bees'));
    await passages.replace(organisationId, { ...document('filed'), collection: 'hr' }, passagesOf('bees bees'));
    await passages.replace(organisationId, document('open'), passagesOf('some bees and bread'));
    const nothing: Opening = { tokens: ['user:ben'], closedCollections: ['hr'], documents: [], assets: [] };
    const foundBy = (opened: Partial<Opening>, limit = 1) =>
      parts.forReader(organisationId, { ...nothing, ...opened }, () => found(organisationId, 'bees', { limit }));
    await eventually(async () => expect(await found(organisationId, 'bees', { limit: 50 })).toHaveLength(14));
    await eventually(async () => expect(await foundBy({})).toEqual(['open: some bees and bread']));
    expect(await foundBy({ closedCollections: [] }, 50)).toHaveLength(2);
    expect(await foundBy({ tokens: ['group:board'] }, 50)).toHaveLength(13);
    expect(await foundBy({ documents: ['closed-3', 'filed'] }, 50)).toHaveLength(3);
    await relabelled(organisationId, { ...restricted('open'), readers: ['user:ann'] });
    expect(await foundBy({})).toEqual([]);
    // Whoever follows up what it was before comes late.
    await passages.describe(organisationId, document('open'));
    expect(await foundBy({})).toEqual([]);
    await passages.describe(organisationId, { ...restricted('open'), readers: ['user:ann'] });
    await eventually(async () => expect(await foundBy({ tokens: ['user:ann'] }, 50)).toHaveLength(13));
  });

  it('is no set that is wanted no more when it is to be published', async () => {
    const organisationId = newId();
    const { passages, found } = replica(encoderOf('m').embeddings);
    const present = () => Promise.resolve(undefined);
    await passages.replace(organisationId, document('d'), passagesOf('bees'), { present });
    expect(await found(organisationId, 'bees')).toEqual([]);
    expect(await parts.count(organisationId)).toBe(0);
  });

  it('keeps the vectors of texts that stay, and says how far it is', async () => {
    const organisationId = newId();
    const encoder = encoderOf('m');
    const { passages } = replica(encoder.embeddings);
    const progress: string[] = [];
    const onEmbedded = (done: number, all: number) => progress.push(`${done}/${all}`);
    const texts = Array.from({ length: 40 }, (_, at) => `bees ${at}`);
    await passages.replace(organisationId, document('d'), passagesOf(...texts), { onEmbedded });
    expect(progress).toEqual(['32/40', '40/40']);
    expect(encoder.embedded()).toBe(40);
    await passages.replace(organisationId, document('d'), passagesOf(...texts, 'one more'));
    expect(encoder.embedded()).toBe(41);
  });

  it('stays as it was when replacing it is broken off, and nothing is left of that', async () => {
    const organisationId = newId();
    const { passages, found } = replica(encoderOf('m').embeddings);
    await passages.replace(organisationId, document('d'), passagesOf('bees'));
    const breaking = new AbortController();
    const texts = Array.from({ length: 70 }, (_, at) => `bread ${at}`);
    const replacing = passages.replace(organisationId, document('d'), passagesOf(...texts), {
      signal: breaking.signal,
      onEmbedded: () => breaking.abort(),
    });
    await expect(replacing).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(async () => expect(await found(organisationId, 'bees bread')).toEqual(['d: bees']));
    expect(await parts.count(organisationId)).toBe(1);
  });

  it('belongs to the one who began last, and what was given up goes', async () => {
    const organisationId = newId();
    const { passageStore, clock } = parts;
    const { found, search } = replica(encoderOf('m').embeddings);
    const source = document('d');
    const first = await passageStore.begin(organisationId, source, clock.now());
    await passageStore.add(organisationId, source, first, passagesOf('bees'));
    const second = await passageStore.begin(organisationId, source, clock.now());
    await passageStore.add(organisationId, source, second, passagesOf('bread'));
    const publish = (generation: string) =>
      passageStore.publish(organisationId, { ...source, generation, model: '', passages: 1 }, clock);
    expect(await publish(second)).toBe(true);
    expect(await publish(first)).toBe(false);
    await eventually(async () => expect(await found(organisationId, 'bees bread')).toEqual(['d: bread']));
    // A third one is killed in the middle.
    const third = await passageStore.begin(organisationId, source, clock.now());
    await passageStore.add(organisationId, source, third, passagesOf('clocks'));
    expect(await parts.count(organisationId)).toBe(2);
    await passageStore.tidy(new Date(clock.now().getTime() + 1));
    expect(await parts.count(organisationId)).toBe(1);
    await search.close();
  });

  it('stays where whoever published it was killed before noting that down, and what it took the place of goes', async () => {
    const organisationId = newId();
    const { passageStore, clock, database } = parts;
    const { passages, found } = replica(encoderOf('m').embeddings);
    const source = document('d');
    await passages.replace(organisationId, source, passagesOf('bread'));
    const { generation } = (await passageStore.find(organisationId, 'DOCUMENT', 'd')) ?? {};
    const left = newId();
    await passageStore.add(organisationId, source, left, passagesOf('bees'));
    const pending = [generation, left].map((set) => ({ generation: set, since: clock.now() }));
    await database.unguarded.collection('searchSources').updateOne({ organisationId }, { $set: { pending } });
    await passageStore.tidy(new Date(clock.now().getTime() + 1));
    await eventually(async () => expect(await found(organisationId, 'bees bread')).toEqual(['d: bread']));
    expect(await parts.count(organisationId)).toBe(1);
    // Nor does it go where whoever published it was told of a failure afterwards.
    await passageStore.giveUp(organisationId, source, generation ?? '');
    expect(await parts.count(organisationId)).toBe(1);
  });

  it('takes back what was written with it where somebody has begun a later one', async () => {
    const organisationId = newId();
    const { passageStore, clock, database } = parts;
    const source = document('d');
    const written = database.model<{ _id: string; text: string }>('documentTexts');
    const first = await passageStore.begin(organisationId, source, clock.now());
    await passageStore.begin(organisationId, source, clock.now());
    const present = async () => {
      await written.create([{ _id: organisationId, text: 'new' }]);
      return source;
    };
    const published = { ...source, generation: first, model: '', passages: 0 };
    expect(await passageStore.publish(organisationId, published, clock, present)).toBe(false);
    expect(await database.tenant(organisationId, () => written.countDocuments({}).exec())).toBe(0);
  });

  it('is what is made of a source again, although the one that was removed before is tidied up meanwhile', async () => {
    const organisationId = newId();
    const { passageStore, clock } = parts;
    const { passages, found } = replica(encoderOf('m').embeddings);
    const source = document('d');
    await passages.replace(organisationId, source, passagesOf('bees'));
    await passages.remove(organisationId, 'DOCUMENT', ['d']);
    const later = (ms: number) => new Date(clock.now().getTime() + ms);
    const generation = await passageStore.begin(organisationId, source, later(2));
    await passageStore.add(organisationId, source, generation, passagesOf('bread'));
    await passageStore.tidy(later(1));
    const published = { ...source, generation, model: '', passages: 1 };
    expect(await passageStore.publish(organisationId, published, { now: () => later(3) })).toBe(true);
    await eventually(async () => expect(await found(organisationId, 'bread')).toEqual(['d: bread']));
  });

  it('means what it is called by now, also where that changes while it is embedded', async () => {
    const organisationId = newId();
    const { embeddings } = encoderOf('m', ['bees', 'clocks']);
    const embedded: string[] = [];
    const noting = {
      ...embeddings,
      embed: (...[texts, options]: Parameters<typeof embeddings.embed>) => {
        embedded.push(...texts);
        return embeddings.embed(texts, options);
      },
    };
    const { passages, reembed, relabelled, found } = replica(noting);
    const best = async (text: string) => (await found(organisationId, text, { mode: 'semantic', limit: 1 }))[0];
    await passages.replace(organisationId, document('d', 'bees.txt'), passagesOf('they dance'));
    await passages.replace(organisationId, document('e', 'other.txt'), passagesOf('bees and clocks'));
    await eventually(async () => expect(await best('bees')).toBe('d: they dance'));

    await relabelled(organisationId, document('d', 'clocks.txt'));
    // The vectors of before answer until others are there.
    await eventually(async () => expect(await best('bees')).toBe('d: they dance'));
    await reembed();
    expect(embedded.at(-1)).toBe('clocks\n\nthey dance');
    await eventually(async () => expect(await best('clocks')).toBe('d: they dance'));
    expect(await parts.passageStore.countStale('m', 10)).toBe(0);

    const present = () => Promise.resolve(document('d', 'hives.txt'));
    await passages.replace(organisationId, document('d', 'clocks.txt'), passagesOf('they dance'), { present });
    await reembed();
    expect(embedded.at(-1)).toBe('hives\n\nthey dance');
    const before = embedded.length;
    await relabelled(organisationId, { ...document('d', 'hives.txt'), collection: 'c' });
    await reembed();
    expect(embedded).toHaveLength(before);
  });

  it('is found by its words while there is no encoder, and by its meaning afterwards', async () => {
    const organisationId = newId();
    const encoder = encoderOf('m');
    const { passages, search, reembed } = replica(encoder.embeddings);
    const ask = (mode: 'hybrid' | 'semantic') => search.search(organisationId, { text: 'about bees', mode, limit: 1 });
    encoder.away(true);
    await passages.replace(organisationId, document('d'), passagesOf('the bees', 'the bread'));
    await eventually(async () =>
      expect(await ask('hybrid')).toMatchObject({ mode: 'keyword', hits: [{ text: 'the bees' }] }),
    );
    await expect(ask('semantic')).rejects.toMatchObject({ kind: 'unavailable' });
    encoder.away(false);
    await eventually(async () => expect(await ask('semantic')).toMatchObject({ hits: [] }));
    await reembed();
    await eventually(async () =>
      expect(await ask('semantic')).toMatchObject({ mode: 'semantic', hits: [{ text: 'the bees' }] }),
    );
  });

  it('is tried ever less often where the encoder refuses it, and holds up no other', async () => {
    const organisationId = newId();
    const old = replica(encoderOf('old').embeddings);
    const asked: string[] = [];
    // Embedded with the name before it.
    const isEndless = (text: string): boolean => text.endsWith('endless bees');
    const { embeddings } = encoderOf('stern');
    const { passages, reembed } = replica({
      ...embeddings,
      embed: (texts, options) => {
        asked.push(...texts);
        if (texts.some(isEndless)) return Promise.reject(upstreamFailed(new Error('refused')));
        return embeddings.embed(texts, options);
      },
    });
    await old.passages.replace(organisationId, document('a'), passagesOf('endless bees'));
    await old.passages.replace(organisationId, document('b'), passagesOf('bees'));
    const triedAfter = async (minutes: number) => {
      parts.clock.advance(minutes * 60_000);
      asked.length = 0;
      await reembed();
      return asked.filter(isEndless).length;
    };
    // With others first, and then by itself.
    expect(await triedAfter(0)).toBe(2);
    expect((await parts.passageStore.find(organisationId, 'DOCUMENT', 'b'))?.model).toBe('stern');
    expect([await triedAfter(3), await triedAfter(2), await triedAfter(5), await triedAfter(4)]).toEqual([0, 1, 0, 1]);
    await passages.replace(organisationId, document('a'), passagesOf('bees'));
    expect((await parts.passageStore.find(organisationId, 'DOCUMENT', 'a'))?.model).toBe('stern');
  });

  it('waits no longer than others where the encoder refuses everything, as with a wrong key or while its server starts', async () => {
    const organisationId = newId();
    const old = replica(encoderOf('old').embeddings);
    const { embeddings } = encoderOf('mended');
    let isBroken = true;
    const { reembed } = replica({
      ...embeddings,
      embed: (texts, options) =>
        isBroken ? Promise.reject(upstreamFailed(new Error('HTTP 503'))) : embeddings.embed(texts, options),
    });
    await old.passages.replace(organisationId, document('a'), passagesOf('bees'));
    for (let round = 0; round < 4; round += 1) {
      await expect(reembed()).rejects.toMatchObject({ kind: 'upstream_failed' });
      parts.clock.advance(10 * 60_000);
    }
    isBroken = false;
    await reembed();
    expect((await parts.passageStore.find(organisationId, 'DOCUMENT', 'a'))?.model).toBe('mended');
  });

  it('is embedded again for another model, once however many replicas do it', async () => {
    const organisationId = newId();
    const old = replica(encoderOf('old').embeddings);
    for (const id of ['a', 'b', 'c']) await old.passages.replace(organisationId, document(id), passagesOf('bees'));
    const { embeddings } = encoderOf('new', ['bees', 'wax', 'honey', 'hives']);
    /** Of this organisation: others have texts as well. */
    let embedded = 0;
    const counting: typeof embeddings = {
      ...embeddings,
      embed: (texts, options) => {
        if (options.organisationId === organisationId) embedded += texts.length;
        return embeddings.embed(texts, options);
      },
    };
    const replicas = [replica(counting), replica(counting)];
    await Promise.all(replicas.map(({ reembed }) => reembed()));
    expect(embedded).toBe(3);
    const own = await Promise.all(['a', 'b', 'c'].map((id) => parts.passageStore.find(organisationId, 'DOCUMENT', id)));
    expect(own.map((source) => source?.model)).toEqual(['new', 'new', 'new']);
    for (const { reembed } of replicas) await reembed();
    expect(embedded).toBe(3);
    await eventually(async () =>
      expect(await replicas[0]?.found(organisationId, 'bees', { mode: 'semantic' })).toHaveLength(3),
    );
  });

  it('is found by the model before until another has embedded everything, which then answers alone', async () => {
    const organisationId = newId();
    const old = encoderOf('before');
    const filling = replica(old.embeddings);
    for (const id of ['a', 'b', 'c']) await filling.passages.replace(organisationId, document(id), passagesOf('bees'));
    const encoder = encoderOf('after', ['bees', 'wax', 'honey', 'hives', 'combs']);
    const { found, passages, reembed } = replica(encoder.embeddings, { before: old.embeddings });
    const bees = () => found(organisationId, 'bees', { mode: 'semantic' });
    const all = ['a: bees', 'b: bees', 'c: bees'];
    // A replica dies behind its first vectors.
    const stopping = new AbortController();
    const store = { ...parts.passageStore };
    const spied = jest.spyOn(parts.passageStore, 'setVectors').mockImplementation(async (...wanted) => {
      await store.setVectors(...wanted);
      stopping.abort();
    });
    await reembed(stopping.signal);
    spied.mockRestore();
    expect(encoder.embedded()).toBeGreaterThan(0);
    await eventually(async () => expect((await bees()).toSorted()).toEqual(all));
    // What comes meanwhile is found as well.
    await passages.replace(organisationId, document('d'), passagesOf('bees'));
    await eventually(async () => expect((await bees()).toSorted()).toEqual([...all, 'd: bees']));
    parts.clock.advance(120_001);
    await reembed();
    const answered = encoder.embedded();
    await eventually(async () => {
      expect((await bees()).toSorted()).toEqual([...all, 'd: bees']);
      expect(encoder.embedded()).toBeGreaterThan(answered);
    });
    const answersAlone = async () => {
      const asked = old.embedded();
      expect((await bees()).toSorted()).toEqual([...all, 'd: bees']);
      return old.embedded() === asked;
    };
    await waitFor(answersAlone, { what: 'the new index' });
    const left = { $or: [{ nextVector: { $exists: true } }, { model: 'before' }] };
    expect(
      await parts.database.tenant(organisationId, () => parts.database.model('passages').countDocuments(left).exec()),
    ).toBe(0);
  });

  it('is found by the other model once all of its organisation is there, whatever others still wait for', async () => {
    const [large, small] = [newId(), newId()];
    const old = encoderOf('slow');
    const before = replica(old.embeddings);
    const many = Array.from({ length: 200 }, (_, at) => `bees ${at}`);
    for (const id of ['a', 'b', 'c', 'd']) await before.passages.replace(large, document(id), passagesOf(...many));
    await before.passages.replace(small, document('e'), passagesOf('bees'));
    const { embeddings } = encoderOf('quick');
    let answering = '';
    const embed: typeof embeddings.embed = async (texts, options) => {
      if (options.organisationId === large) answering = await parts.passageStore.answeringModel(small, 'quick');
      return embeddings.embed(texts, options);
    };
    const { reembed } = replica({ ...embeddings, embed }, { before: old.embeddings });
    await reembed();
    expect(answering).toBe('quick');
  });

  it('moves to where it answers also where a replica is done with it after the switch', async () => {
    const organisationId = newId();
    const { database, passageStore, clock } = parts;
    const old = encoderOf('first');
    await replica(old.embeddings).passages.replace(organisationId, document('a'), passagesOf('bees'));
    const taken = await passageStore.find(organisationId, 'DOCUMENT', 'a');
    if (!taken) throw new Error('the source is not there');
    const { reembed } = replica(encoderOf('second').embeddings, { before: old.embeddings });
    await reembed();
    const late = { model: 'second', beside: true };
    const [vector] = await encoderOf('second').embeddings.embed(['bees'], { organisationId });
    if (!vector) throw new Error('there is no vector');
    await passageStore.setVectors(organisationId, [{ generation: taken.generation, ordinal: 0, vector }], late);
    await passageStore.setModel(organisationId, [taken], late, clock);
    await reembed();
    const beside = { nextVector: { $exists: true } };
    expect(await database.tenant(organisationId, () => database.model('passages').countDocuments(beside).exec())).toBe(
      0,
    );
  });

  it('is of messages only what the member may see, and changes with who may', async () => {
    const organisationId = newId();
    const { passages, found, relabelled } = replica(encoderOf('m').embeddings);
    const message = { kind: 'MESSAGE', id: 'm', title: '', createdAt: parts.clock.now() } as const;
    await passages.replace(organisationId, { ...message, memberIds: ['ann'] }, passagesOf('bees'));
    await eventually(async () => expect(await found(organisationId, 'bees', { memberId: 'ann' })).toEqual(['m: bees']));
    expect(await found(organisationId, 'bees', { memberId: 'bob' })).toEqual([]);
    await relabelled(organisationId, { ...message, memberIds: ['ann', 'bob'] });
    await eventually(async () => expect(await found(organisationId, 'bees', { memberId: 'bob' })).toEqual(['m: bees']));
    await relabelled(organisationId, message);
    await eventually(async () => expect(await found(organisationId, 'bees', { memberId: 'eve' })).toEqual(['m: bees']));
  });

  it('keeps to the filters of the search', async () => {
    const organisationId = newId();
    const { passages, found, relabelled } = replica(encoderOf('m').embeddings);
    const [early, late] = [new Date('2026-01-01'), new Date('2026-03-01')];
    const labels = ['department=hr', 'region=eu'];
    const pdf = { ...document('pdf'), createdAt: early, collection: 'hr', mediaType: 'application/pdf', labels };
    const note = { kind: 'CONVENTION', id: 'note', title: '', createdAt: late } as const;
    await passages.replace(organisationId, pdf, passagesOf('bees'));
    await passages.replace(organisationId, note, passagesOf('bees'));
    const ids = async (query: object) => (await found(organisationId, 'bees', query)).map((one) => one.split(':')[0]);
    await eventually(async () => expect((await ids({})).toSorted()).toEqual(['note', 'pdf']));
    for (const mode of ['keyword', 'semantic', 'hybrid']) {
      expect(await ids({ mode, kinds: ['CONVENTION'] })).toEqual(['note']);
      expect(await ids({ mode, sourceIds: ['pdf'] })).toEqual(['pdf']);
      expect(await ids({ mode, collections: ['hr'] })).toEqual(['pdf']);
      expect(await ids({ mode, mediaTypes: ['text/plain'] })).toEqual([]);
      expect(await ids({ mode, labels })).toEqual(['pdf']);
      expect(await ids({ mode, labels: ['department=hr', 'region=us'] })).toEqual([]);
      expect(await ids({ mode, createdAfter: early })).toEqual(['note']);
      expect(await ids({ mode, createdAfter: new Date(0), createdBefore: late })).toEqual(['pdf']);
    }
    await relabelled(organisationId, { ...pdf, collection: 'sales', labels: ['department=sales'] });
    expect(await ids({ collections: ['hr'] })).toEqual([]);
    await eventually(async () => expect(await ids({ collections: ['sales'] })).toEqual(['pdf']));
    await eventually(async () => expect(await ids({ labels: ['department=sales'] })).toEqual(['pdf']));
    expect(await ids({ labels })).toEqual([]);
  });

  it('weighs words and meanings by all that the organisation has, however little of it is near the question', async () => {
    const organisationId = newId();
    // Meant by what has it as one; words are told apart from it.
    const { passages, found } = replica(encoderOf('m', ['honey bees']).embeddings);
    const many = (count: number, text: (at: number) => string) =>
      passagesOf(...Array.from({ length: count }, (_, at) => text(at)));
    await passages.replace(
      organisationId,
      document('rare'),
      many(60, (at) => `alder ${at}`),
    );
    await passages.replace(
      organisationId,
      document('common'),
      many(240, (at) => `birch ${at}`),
    );
    await passages.replace(
      organisationId,
      document('meant'),
      many(2, (at) => `xhoney beesx ${at}`),
    );
    await passages.replace(organisationId, document('worded'), passagesOf('bees honey'));
    const best = async (text: string, mode: string) =>
      (await found(organisationId, text, { mode, limit: 1 }))[0]?.split(':')[0];
    await eventually(async () => expect(await best('alder birch', 'keyword')).toBe('rare'));
    await eventually(async () => expect(await best('honey bees', 'hybrid')).toBe('meant'));
    expect(await best('bees honey', 'keyword')).toBe('worded');
  });

  it('is of other sources as well where one has more than its share of what is near', async () => {
    const organisationId = newId();
    const { passages, found } = replica(encoderOf('m').embeddings);
    const long = Array.from({ length: 130 }, (_, at) => `bees ${at}`);
    await passages.replace(organisationId, document('long'), passagesOf(...long));
    await passages.replace(organisationId, document('short'), passagesOf('bees and bread and clocks'));
    for (const mode of ['hybrid', 'keyword', 'semantic'])
      await eventually(async () => {
        const ids = await found(organisationId, 'bees', { mode, maxPerSource: 1, limit: 2 });
        expect(ids.map((one) => one.split(':')[0])).toEqual(expect.arrayContaining(['long', 'short']));
      });
  });

  it('has no passage twice, however often it is looked for more', async () => {
    const organisationId = newId();
    const { passages, found } = replica(encoderOf('m').embeddings);
    const long = Array.from({ length: 130 }, (_, at) => `bees and bread ${at}`);
    await passages.replace(organisationId, document('short'), passagesOf('bees'));
    await passages.replace(organisationId, document('long'), passagesOf(...long));
    for (const mode of ['hybrid', 'keyword', 'semantic'])
      await eventually(async () => {
        const ids = await found(organisationId, 'bees', { mode, maxPerSource: 2, limit: 6 });
        expect(ids.map((one) => one.split(':')[0]).toSorted()).toEqual(['long', 'long', 'short']);
      });
  });

  it('says what is about the question by what the encoder is known for', async () => {
    const organisationId = newId();
    const { passages, search } = replica({ ...encoderOf('m').embeddings, similarityThreshold: 0.5 });
    await passages.replace(organisationId, document('d'), passagesOf('bees', 'bread'));
    await eventually(async () => {
      const { hits } = await search.search(organisationId, { text: 'bees', mode: 'semantic', limit: 10 });
      expect(hits.map(({ text, isRelevant }) => [text, isRelevant])).toEqual([
        ['bees', true],
        ['bread', false],
      ]);
    });
  });

  it('goes with its organisation', async () => {
    const organisationId = newId();
    const { passages, search, found } = replica(encoderOf('m').embeddings);
    await passages.replace(organisationId, document('d'), passagesOf('bees'));
    await eventually(async () => expect(await found(organisationId, 'bees')).toHaveLength(1));
    await parts.passageStore.removeAll(organisationId);
    await search.removeIndex(organisationId);
    expect(await found(organisationId, 'bees')).toEqual([]);
    expect(await parts.count(organisationId)).toBe(0);
  });
});
