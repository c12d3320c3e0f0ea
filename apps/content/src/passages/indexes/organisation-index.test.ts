import { describe, expect, it } from '@jest/globals';
import { sameBudgets } from './index-parts.ts';
import { OrganisationIndex, type IndexedSource, type IndexQuery } from './organisation-index.ts';
import { searchIndexes } from './search-indexes.ts';

const source = (fields: Partial<IndexedSource>): IndexedSource => ({
  kind: 'DOCUMENT',
  id: 'd1',
  title: '',
  generation: 'g1',
  createdAt: 0,
  ...fields,
});
const passagesOf = (...texts: string[]) => texts.map((text, ordinal) => ({ ordinal, text }));
const keyword = (text: string, filter: Partial<IndexQuery> = {}): IndexQuery => ({
  text,
  mode: 'keyword',
  limit: 10,
  ...filter,
});

describe('the index of an organisation', () => {
  const index = new OrganisationIndex(sameBudgets(1_000));
  const labels = ['department=hr', 'region=eu'];
  const handbook = { id: 'd1', title: 'Handbook', collection: 'hr', mediaType: 'application/pdf', createdAt: 100 };
  index.put(source({ ...handbook, labels }), [
    ...passagesOf('Holiday is thirty days a year.', 'Receipts are attached to the claim.'),
  ]);
  index.put(source({ kind: 'CONVENTION', id: 'c1', createdAt: 200 }), passagesOf('A holiday is called leave.'));
  index.put(source({ kind: 'MESSAGE', id: 'm1', createdAt: 300, memberIds: ['ann'] }), passagesOf('My holiday plans'));
  const found = (query: IndexQuery) => searchIndexes([index], query).map(({ id, ordinal }) => `${id}/${ordinal}`);

  it('finds passages by their words in any form, and by those of the title', () => {
    expect(found(keyword('holidays')).toSorted()).toEqual(['c1/0', 'd1/0', 'm1/0']);
    expect(found(keyword('attaching a receipt'))).toEqual(['d1/1']);
    expect(found(keyword('handbook')).toSorted()).toEqual(['d1/0', 'd1/1']);
    expect(found(keyword('nothing of the kind'))).toEqual([]);
  });

  it('keeps to every filter', () => {
    expect(found(keyword('holiday', { kinds: ['CONVENTION', 'MESSAGE'] })).toSorted()).toEqual(['c1/0', 'm1/0']);
    expect(found(keyword('holiday', { sourceIds: ['d1'] }))).toEqual(['d1/0']);
    expect(found(keyword('holiday', { collections: ['hr', 'law'] }))).toEqual(['d1/0']);
    expect(found(keyword('holiday', { collections: ['it'] }))).toEqual([]);
    expect(found(keyword('holiday', { mediaTypes: ['application/pdf'] }))).toEqual(['d1/0']);
    expect(found(keyword('holiday', { labels }))).toEqual(['d1/0']);
    expect(found(keyword('holiday', { labels: ['department=hr', 'region=us'] }))).toEqual([]);
    expect(found(keyword('holiday', { createdAfter: new Date(100), createdBefore: new Date(300) }))).toEqual(['c1/0']);
  });

  it('takes of one source so many passages at most, and its best', () => {
    const long = new OrganisationIndex(sameBudgets(1_000));
    const rent = ['The rent is due.', 'The rent of the rent is the rent.', 'Rent and rent.', 'No such thing.'];
    long.put(source({ id: 'long', generation: 'g-long' }), passagesOf(...rent));
    long.put(source({ id: 'short', generation: 'g-short' }), passagesOf('A word about rent at the end of much else.'));
    const hits = (filter: Partial<IndexQuery>) =>
      searchIndexes([long], keyword('rent', filter)).map(({ id, ordinal }) => `${id}/${ordinal}`);
    const [best] = hits({});
    expect(hits({})).toHaveLength(4);
    expect(hits({ maxPerSource: 1 })).toEqual([best, 'short/0']);
    expect(hits({ maxPerSource: 2, limit: 3 })).toEqual([...hits({}).slice(0, 2), 'short/0']);
  });

  it('leaves out what is not about the question, where that is wanted', () => {
    const asked = 'holiday claim deadline';
    expect(found(keyword(asked))).not.toEqual([]);
    expect(found(keyword(asked, { relevantOnly: true }))).toEqual([]);
    expect(found(keyword('holiday leave', { relevantOnly: true }))).toEqual(['c1/0']);
  });

  it('shows what belongs to some members to those alone', () => {
    expect(found(keyword('plans', { memberId: 'ann' }))).toEqual(['m1/0']);
    expect(found(keyword('plans', { memberId: 'bob' }))).toEqual([]);
    expect(found(keyword('plans'))).toEqual(['m1/0']);
  });
});

describe('scores', () => {
  /** With so many texts about honey that others alone may read. */
  const scoresWith = (secrets: number) => {
    const index = new OrganisationIndex(sameBudgets(1_000));
    index.put(source({ id: 'a' }), passagesOf('honey is sold on Monday'));
    index.put(source({ id: 'b' }), passagesOf('wax is sold on Friday, and wax candles'));
    for (let id = 0; id < secrets; id += 1) {
      const restricted = { id: `s${id}`, readers: ['user:eve'] };
      index.put(source(restricted), passagesOf(`honey project ${id} for the fusion`));
      index.put(source({ kind: 'MESSAGE', id: `m${id}`, memberIds: ['eve'] }), passagesOf('honey and more honey'));
    }
    const opening = { tokens: ['user:ann', '*'], closedCollections: [], documents: [], assets: [] };
    const asked = keyword('honey wax project sold Monday', { opening, memberId: 'ann' });
    return searchIndexes([index], asked).map(({ id, score, isRelevant }) => ({ id, score, isRelevant }));
  };

  it('are the same whatever there is that whoever asks may not read', () => {
    expect(
      scoresWith(0)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['a', 'b']);
    expect(scoresWith(200)).toEqual(scoresWith(0));
  });
});

describe('what the index finds', () => {
  const index = new OrganisationIndex(sameBudgets(10));
  index.put(source({ id: 'rent', title: 'Lease' }), [
    { ordinal: 0, text: 'The rent is due on the first of each month.', vector: Float32Array.of(1, 0) },
  ]);
  index.put(source({ id: 'trips', title: 'Travel' }), [
    {
      ordinal: 0,
      text: 'Trains are booked before planes; the capital is no exception.',
      vector: Float32Array.of(0, 1),
    },
  ]);
  const relevant = (query: Partial<IndexQuery> & { text: string }) =>
    searchIndexes([index], { mode: 'keyword', limit: 10, ...query }).flatMap(({ id, isRelevant }) =>
      isRelevant ? [id] : [],
    );
  /** So far from both. */
  const between = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine));

  it('is relevant by its words where it has half of those that tell something, and more than one of several', () => {
    expect(relevant({ text: 'When is the rent due?' })).toEqual(['rent']);
    expect(relevant({ text: 'rent' })).toEqual(['rent']);
    expect(relevant({ text: 'Please tell me when the rent of the lease for January is due' })).toEqual(['rent']);
    expect(relevant({ text: 'What is the capital of France?' })).toEqual([]);
    expect(relevant({ text: 'Which trains reach the capital of France from Berlin and Madrid?' })).toEqual([]);
  });

  it('is relevant by its meaning from the similarity on that its encoder is known for', () => {
    const near = { text: 'x', mode: 'hybrid', similarityThreshold: 0.9 } as const;
    expect(relevant({ ...near, vector: between(0.95) })).toEqual(['rent']);
    expect(relevant({ ...near, vector: between(0.7) })).toEqual([]);
    const byBoth = relevant({ ...near, text: 'trains before planes', vector: between(0.95) });
    expect(byBoth.toSorted()).toEqual(['rent', 'trips']);
    expect(relevant({ text: 'x', mode: 'semantic', vector: between(0.7) })).toHaveLength(2);
  });
});

describe('an index that changes', () => {
  it('finds the passages that a source has now, and none of one that was dropped, however often that happens', () => {
    const index = new OrganisationIndex(sameBudgets(10_000));
    const vectorOf = (at: number) => Float32Array.of(Math.cos(at), Math.sin(at));
    for (let round = 0; round < 60; round += 1)
      for (let id = 0; id < 50; id += 1)
        index.put(source({ id: `d${id}`, generation: `g${round}` }), [
          { ordinal: 0, text: `common round${round}`, vector: vectorOf(id / 100) },
        ]);
    expect(index.passages).toMatchObject({ DOCUMENT: 50 });
    expect(searchIndexes([index], keyword('common', { limit: 100 }))).toHaveLength(50);
    expect(searchIndexes([index], keyword('round58'))).toEqual([]);
    index.drop('DOCUMENT', 'd7');
    const similar = searchIndexes([index], { text: '', mode: 'semantic', vector: vectorOf(0.069), limit: 2 });
    expect(similar.map(({ id, generation }) => [id, generation])).toEqual([
      ['d6', 'g59'],
      ['d8', 'g59'],
    ]);
  });

  it('leaves out the oldest sources of a kind beyond its budget, none of another, and says which', () => {
    const index = new OrganisationIndex({ DOCUMENT: 20, CONVENTION: 20, MESSAGE: 5 });
    for (let id = 0; id < 20; id += 1)
      expect(index.put(source({ id: `d${id}`, createdAt: id }), passagesOf('text'))).toEqual([]);
    const message = { kind: 'MESSAGE', createdAt: 1_000 } as const;
    for (let id = 0; id < 50; id += 1) index.put(source({ ...message, id: `m${id}` }), passagesOf('chat'));
    expect(index.passages).toMatchObject({ DOCUMENT: 20 });
    expect(index.put(source({ id: 'new', createdAt: 100 }), passagesOf('text'))).toEqual([
      { kind: 'DOCUMENT', id: 'd0' },
      { kind: 'DOCUMENT', id: 'd1' },
    ]);
    const ids = searchIndexes([index], keyword('text', { limit: 100 })).map(({ id }) => id);
    expect(ids).toContain('new');
    expect(ids).not.toContain('d0');
  });

  it('finds with others what one index of all would find, in the same order', () => {
    const texts = ['bees make honey', 'honey is made of nectar', 'wax', 'bees and bees', 'a hive of bees and honey'];
    const [one, other, whole] = [10, 10, 10].map((room) => new OrganisationIndex(sameBudgets(room)));
    for (const [at, text] of texts.entries()) {
      const vector = Float32Array.of(Math.cos(at), Math.sin(at));
      for (const index of [whole, at % 2 === 0 ? one : other])
        index?.put(source({ id: `d${at}`, createdAt: at }), [{ ordinal: 0, text, vector }]);
    }
    for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
      const query = { text: 'honey of bees', mode, vector: Float32Array.of(1, 0), limit: 5 };
      const shown = (indexes: readonly (OrganisationIndex | undefined)[]) =>
        searchIndexes(
          indexes.flatMap((index) => index ?? []),
          query,
        ).map(({ id, score }) => [id, score.toFixed(5)]);
      expect(shown([one, other]).toSorted()).toEqual(shown([whole]).toSorted());
    }
  });
});

describe('a snapshot of an index', () => {
  const partsIn = (index: OrganisationIndex) => {
    const parts = Object.entries(index.snapshot()).map(([name, pieces]) => [
      name,
      Buffer.concat([...pieces].map((piece) => Buffer.from(piece))),
    ]);
    return Object.fromEntries(parts) as Record<string, Buffer>;
  };
  const restored = (parts: Readonly<Record<string, Buffer>>) =>
    OrganisationIndex.restored(sameBudgets(1_000), (name) => Uint8Array.from(parts[name] ?? []));
  const vectorOf = (at: number) => Float32Array.of(Math.cos(at), Math.sin(at));
  const filled = () => {
    const index = new OrganisationIndex(sameBudgets(1_000));
    for (let id = 0; id < 500; id += 1)
      index.put(source({ id: `d${id}`, generation: `g${id}`, title: `Urlaubsantrag ${id}`, version: `v${id}` }), [
        { ordinal: 0, text: `Der Leiter und die Mitarbeiter finden ${id} im Haus`, vector: vectorOf(id / 500) },
        { ordinal: 1, text: `secret${id}`, heading: 'Fristen' },
      ]);
    return index;
  };
  const queries = [
    keyword('Antrag 7'),
    keyword('secret9'),
    keyword('Fristen', { limit: 30 }),
    { text: 'Haus', mode: 'semantic', vector: vectorOf(0.3), limit: 5 },
    { text: 'Leiter 123', mode: 'hybrid', vector: vectorOf(0.7), limit: 50 },
  ] as const;

  it('has all that the index had: what it finds and how it changes', () => {
    const index = filled();
    const again = restored(partsIn(index));
    expect(again.passages).toEqual(index.passages);
    expect(again.bytes).toBe(index.bytes);
    expect(again.versions(498, 10)).toEqual([
      ['DOCUMENT:d498', 'v498'],
      ['DOCUMENT:d499', 'v499'],
    ]);
    for (let round = 0; round < 3; round += 1) {
      for (const query of queries) expect(searchIndexes([again], query)).toEqual(searchIndexes([index], query));
      for (const one of [index, again]) {
        one.put(source({ id: `n${round}`, generation: 'n' }), [
          { ordinal: 0, text: 'Antrag 7 im Haus', vector: vectorOf(0.3) },
        ]);
        for (let id = round; id < 500; id += 3) one.drop('DOCUMENT', `d${id}`);
      }
    }
  });

  it('has no word and no vector of what was dropped', () => {
    const index = filled();
    index.drop('DOCUMENT', 'd3');
    const parts = partsIn(index);
    const all = Buffer.concat(Object.values(parts)).toString('latin1');
    expect(all).toContain('secret4');
    expect(all).not.toMatch(/secret3\n|"d3"/);
    for (let id = 0; id < 500; id += 1) index.drop('DOCUMENT', `d${id}`);
    const nothing = partsIn(index);
    expect(nothing['terms']).toEqual(Buffer.from(''));
    expect(nothing['vectors']).toHaveLength(0);
  });

  it('is none where its parts do not fit each other', () => {
    const parts = partsIn(filled());
    expect(() => restored({ ...parts, terms: Buffer.from('secret1\nsecret1\n') })).toThrow();
    expect(() => restored({ ...parts, sources: Buffer.from('') })).toThrow();
  });
});
