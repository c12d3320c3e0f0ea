import { describe, expect, it } from '@jest/globals';
import { rules } from './scoped-collection.ts';

const ours = { organisationId: 'ours', limit: undefined };
const kept = (pipeline: unknown, bounds: { organisationId: string; limit: object | undefined } = ours) =>
  rules['aggregate']?.keep[0]?.(pipeline, { ...bounds, limit: bounds.limit as Record<string, unknown> | undefined });

describe('a search by vectors', () => {
  const search = { index: 'vectors', path: 'vector', queryVector: [1], numCandidates: 100, limit: 10 };

  it('is kept to the organisation by its own filter, whatever else it asks for', () => {
    expect(kept([{ $vectorSearch: search }, { $project: { text: 1 } }])).toEqual([
      { $vectorSearch: { ...search, filter: { organisationId: { $eq: 'ours' } } } },
      { $project: { text: 1 } },
    ]);
    for (const filter of [{ kind: 'DOCUMENT' }, { organisationId: 'theirs' }, { $or: [{ organisationId: 'theirs' }] }])
      expect(kept([{ $vectorSearch: { ...search, filter } }])).toEqual([
        { $vectorSearch: { ...search, filter: { $and: [{ organisationId: { $eq: 'ours' } }, filter] } } },
      ]);
  });

  it('is refused anywhere but at the beginning, and with what looks at other collections', () => {
    expect(() => kept([{ $match: {} }, { $vectorSearch: search }])).toThrow('$vectorSearch cannot be kept');
    expect(() => kept([{ $vectorSearch: search }, { $lookup: { from: 'others' } }])).toThrow('$lookup cannot be kept');
    expect(() => kept([{ $unionWith: { coll: 'others', pipeline: [{ $vectorSearch: search }] } }])).toThrow('kept');
  });
});

describe('a search by words', () => {
  const must = [{ text: { query: 'bees', path: 'text' } }];
  const own = { equals: { path: 'organisationId', value: 'ours' } };

  it('is kept to the organisation by its own filter, whatever else it asks for', () => {
    const theirs = { equals: { path: 'organisationId', value: 'theirs' } };
    const filters: readonly [unknown, unknown[]][] = [
      [undefined, []],
      [theirs, [theirs]],
      [[theirs], [theirs]],
    ];
    for (const [filter, narrowed] of filters)
      expect(kept([{ $search: { index: 'words', compound: { must, filter } } }, { $limit: 1 }])).toEqual([
        { $search: { index: 'words', compound: { must, filter: [own, ...narrowed] } } },
        { $limit: 1 },
      ]);
  });

  it('is refused in every form that has no place for the filter, and anywhere but at the beginning', () => {
    expect(() => kept([{ $search: { text: {} } }])).toThrow('$search other than');
    expect(() => kept([{ $search: { index: 'words', compound: { must }, returnStoredSource: true } }])).toThrow('kept');
    expect(() => kept([{ $match: {} }, { $search: { index: 'words', compound: { must } } }])).toThrow('kept');
  });
});

describe('a count of what a search by words finds', () => {
  const own = { equals: { path: 'organisationId', value: 'ours' } };

  it('is kept to the organisation as the search itself', () => {
    const filter = { in: { path: 'kind', value: ['DOCUMENT'] } };
    expect(kept([{ $searchMeta: { index: 'words', compound: { filter }, count: { type: 'total' } } }])).toEqual([
      { $searchMeta: { index: 'words', compound: { filter: [own, filter] }, count: { type: 'total' } } },
    ]);
  });

  it('is refused with whatever else counts, and anywhere but at the beginning', () => {
    const facet = { facets: {} };
    expect(() => kept([{ $searchMeta: { index: 'words', facet } }])).toThrow('kept');
    expect(() => kept([{ $searchMeta: { index: 'words', compound: {}, facet } }])).toThrow('kept');
    expect(() => kept([{ $match: {} }, { $searchMeta: { index: 'words', compound: {} } }])).toThrow('kept');
  });
});

describe('a limit on what somebody may touch', () => {
  const limited = { organisationId: 'ours', limit: { readers: 'ann' } };
  const bound = (operation: string, ...given: unknown[]) =>
    given.map((one, at) => rules[operation]?.keep[at]?.(one, limited));
  const both = (filter: object) => ({ ...filter, organisationId: 'ours', $and: [{ readers: 'ann' }] });

  it('is a part of every filter, whatever that asks for', () => {
    for (const operation of ['find', 'findOne', 'countDocuments', 'deleteOne', 'updateMany', 'findOneAndDelete'])
      expect(bound(operation, { readers: { $exists: true } })).toEqual([both({ readers: { $exists: true } })]);
    expect(bound('distinct', 'name', {})).toEqual(['name', both({})]);
    expect(bound('bulkWrite', [{ updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } }])).toEqual([
      [{ updateOne: { filter: both({ _id: 1 }), update: { $set: { a: 1 } } } }],
    ]);
    expect(kept([{ $group: { _id: null } }], limited)).toEqual([{ $match: both({}) }, { $group: { _id: null } }]);
  });

  it('is refused to searches, which have to filter by themselves', () => {
    expect(() => kept([{ $vectorSearch: { index: 'vectors' } }], limited)).toThrow('takes no limit');
    expect(() => kept([{ $search: { index: 'words', compound: {} } }], limited)).toThrow('takes no limit');
  });
});
