import { unavailable } from '@platform-backend/core';
import { searchIndexName, vectorOf, type Database, type mongo, type SearchIndex } from '@platform-backend/mongo';
import { EVERYBODY } from '../../access/domain/opening.ts';
import type { FindWithin, PassageFinder } from '../domain/passage-finder.ts';
import type { PassageReference } from '../domain/passage-store.ts';

/** What filters look at, besides the date. */
const TOKENS = ['organisationId', 'kind', 'sourceId', 'readers', 'collectionName', 'mediaType', 'labels'];

/** What words are looked for in, and the index that has it. */
interface WordIndex {
  readonly paths: readonly string[];
  readonly index: SearchIndex;
}

const wordIndex = (paths: readonly string[]): WordIndex => ({
  paths,
  index: {
    collection: 'passages',
    name: 'passages_words',
    type: 'search',
    definition: {
      mappings: {
        dynamic: false,
        fields: {
          ...Object.fromEntries(paths.map((path) => [path, { type: 'string', analyzer: 'lucene.english' }])),
          createdAt: { type: 'date' },
          ...Object.fromEntries(TOKENS.map((path) => [path, { type: 'token' }])),
        },
      },
    },
  },
});

const WORDS = wordIndex(['title', 'heading', 'text']);
/** Of the version before: it answers while MongoDB builds the other, which takes hours of many passages. */
export const WORDS_BEFORE = wordIndex(['title', 'text']);

/** Vectors of another length are in another index. */
const vectorsOf = (dimensions: number): SearchIndex => ({
  collection: 'passages',
  name: `passages_vectors_${String(dimensions)}`,
  type: 'vectorSearch',
  definition: {
    fields: [
      { type: 'vector', path: 'vector', numDimensions: dimensions, similarity: 'dotProduct' },
      ...[...TOKENS, 'model', 'createdAt'].map((path) => ({ type: 'filter', path })),
    ],
  },
});

/** How many neighbours MongoDB looks at for each that is wanted, as its manual advises, and in all. */
const CANDIDATES_EACH = 20;
const MAX_CANDIDATES = 10_000;

/** MongoDB's own search over the passages of an organisation, which libs/mongo keeps to it by the filter of the search itself. */
export function passageFinder(database: Database): PassageFinder {
  const passages = database.model<PassageReference>('passages');
  const ready = new Set<string>();

  const prepare = async (index: SearchIndex): Promise<boolean> => {
    const name = searchIndexName(index);
    if (!ready.has(name) && (await database.ensureSearchIndex(index))) ready.add(name);
    return ready.has(name);
  };
  const nameOf = async (index: SearchIndex): Promise<string> => {
    if (!(await prepare(index))) throw unavailable(new Error(`MongoDB is still building ${index.name}`));
    return searchIndexName(index);
  };
  /** Which index of words answers, and what it looks at. */
  const words = async (): Promise<{ readonly index: string; readonly path: readonly string[] }> => {
    const isBefore = !(await prepare(WORDS.index)) && (await database.hasSearchIndex(WORDS_BEFORE.index));
    if (isBefore) return { index: searchIndexName(WORDS_BEFORE.index), path: WORDS_BEFORE.paths };
    return { index: await nameOf(WORDS.index), path: WORDS.paths };
  };
  const aggregate = <T>(stages: readonly mongo.Document[]): Promise<T[]> =>
    passages.aggregate<T>(stages as never[]).exec();
  const find = (organisationId: string, stages: readonly mongo.Document[]): Promise<readonly PassageReference[]> =>
    database.tenant(organisationId, () =>
      aggregate<PassageReference>([...stages, { $project: { generation: 1, ordinal: 1 } }]),
    );

  return {
    async byWords(organisationId, text, within) {
      const { index, path } = await words();
      const compound = { must: [{ text: { query: text, path } }], filter: searchFilter(within) };
      return find(organisationId, [{ $search: { index, compound } }, { $limit: within.limit }]);
    },
    async byVector(organisationId, { model, vector }, within) {
      const index = await nameOf(vectorsOf(vector.length));
      return find(organisationId, [nearest(index, vector, model, within)]);
    },
    async sample(organisationId, { model, dimensions }, within) {
      const index = await nameOf(vectorsOf(dimensions));
      const stages = [
        nearest(index, anyDirection(dimensions), model, within),
        { $project: { generation: 1, ordinal: 1, vector: 1 } },
      ];
      const found = await database.tenant(organisationId, () =>
        aggregate<PassageReference & { readonly vector: mongo.Binary }>(stages),
      );
      return found.map(({ generation, ordinal, vector }) => ({ generation, ordinal, vector: vectorOf(vector) }));
    },
    async countWords(organisationId, asked, { kinds, memberId, opening }) {
      const { index, path } = await words();
      const count = async (must: object[]): Promise<number> => {
        const filter = searchFilter({ kinds, memberId, opening });
        const compound = { ...(must.length > 0 && { must }), filter };
        const [counted] = await aggregate<{ readonly count: { readonly total: unknown } }>([
          { $searchMeta: { index, compound, count: { type: 'total' } } },
        ]);
        return Number(counted?.count.total ?? 0);
      };
      // One after the other, by one connection: others wait for theirs.
      return database.tenant(organisationId, async () => {
        const texts = await count([]);
        const found: number[] = [];
        for (const query of asked) found.push(await count([{ phrase: { query, path } }]));
        return { texts, found };
      });
    },
    prepareWords: async () => {
      await prepare(WORDS.index);
    },
    prepareVectors: async (dimensions) => {
      await prepare(vectorsOf(dimensions));
    },
  };
}

function nearest(index: string, vector: Float32Array, model: string, within: FindWithin): mongo.Document {
  const { limit } = within;
  const numCandidates = Math.min(MAX_CANDIDATES, limit * CANDIDATES_EACH);
  const filter = { $and: [{ model: { $eq: model } }, ...vectorFilter(within)] };
  return { $vectorSearch: { index, path: 'vector', queryVector: [...vector], numCandidates, limit, filter } };
}

/** A direction that no text has to do with, always the same. */
function anyDirection(dimensions: number): Float32Array {
  const numbers = Float32Array.from({ length: dimensions }, (_, at) => {
    const noise = Math.sin((at + 1) * 12.9898) * 43_758.5453;
    return noise - Math.floor(noise) - 0.5;
  });
  const length = Math.hypot(...numbers) || 1;
  return numbers.map((number) => number / length);
}

/** Each path with the values of which it has to have one. */
function tokensOf({
  kinds,
  sourceIds,
  collections,
  mediaTypes,
  labels = [],
}: Omit<FindWithin, 'limit'>): [string, readonly string[]][] {
  const wanted: [string, readonly string[] | undefined][] = [
    ['kind', kinds],
    ['sourceId', sourceIds],
    ['collectionName', collections],
    ['mediaType', mediaTypes],
    // All of them, and so each by itself.
    ...labels.map((label): [string, readonly string[]] => ['labels', [label]]),
  ];
  return wanted.flatMap(([path, values]) => (values ? [[path, values]] : []));
}

/** MongoDB refuses an empty list. */
const excludedBy = ({ excludedSourceIds = [] }: Pick<FindWithin, 'excludedSourceIds'>): readonly string[] | undefined =>
  excludedSourceIds.length > 0 ? excludedSourceIds : undefined;

/** A clause that only excludes would find nothing. */
const ANY_KIND = ['kind', ['DOCUMENT', 'CONVENTION', 'MESSAGE']] as const;

/** What paths have to be: to have one of these values, or none of these. */
interface Condition {
  readonly has?: readonly (readonly [path: string, values: readonly string[]])[];
  readonly hasNot?: readonly (readonly [path: string, values: readonly string[]])[];
}

/** Of which conditions a passage has to meet one, for whoever asks; undefined: of none. */
function readableAs({
  kinds,
  memberId,
  opening,
}: Pick<FindWithin, 'kinds' | 'memberId' | 'opening'>): readonly Condition[] | undefined {
  const searchesMessages = !kinds || kinds.includes('MESSAGE');
  if (!opening && (memberId === undefined || !searchesMessages)) return undefined;
  const readers = (tokens: readonly string[]) => ['readers', tokens] as const;
  const ofMessages = ['kind', ['MESSAGE']] as const;
  const ofOthers = ['kind', ['DOCUMENT', 'CONVENTION']] as const;
  const messages: Condition = {
    has: memberId === undefined ? [ofMessages] : [ofMessages, readers([EVERYBODY, memberId])],
  };
  if (!opening) return [messages, { has: [ofOthers] }];
  const { tokens, closedCollections, documents, assets } = opening;
  const named = (kind: string, ids: readonly string[]): Condition[] =>
    ids.length > 0
      ? [
          {
            has: [
              ['kind', [kind]],
              ['sourceId', ids],
            ],
          },
        ]
      : [];
  return [
    messages,
    ...(tokens.length > 0 ? [{ has: [ofOthers, readers(tokens)] }] : []),
    // No search is asked for an empty list.
    {
      has: [ofOthers, readers([EVERYBODY])],
      hasNot: closedCollections.length > 0 ? [['collectionName', closedCollections]] : [],
    },
    ...named('DOCUMENT', documents),
    ...named('CONVENTION', assets),
  ];
}

function searchFilter(within: Omit<FindWithin, 'limit'>): object[] {
  const { createdAfter: gt, createdBefore: lt } = within;
  const range = { path: 'createdAt', ...(gt && { gt }), ...(lt && { lt }) };
  const isIn = ([path, value]: readonly [string, readonly string[]]) => ({ in: { path, value } });
  const readable = readableAs(within)?.map(({ has = [], hasNot = [] }) => ({
    compound: { filter: has.map(isIn), mustNot: hasNot.map(isIn) },
  }));
  const excluded = excludedBy(within);
  return [
    ...tokensOf(within).map(isIn),
    ...(excluded ? [{ compound: { mustNot: [isIn(['sourceId', excluded])], filter: [isIn(ANY_KIND)] } }] : []),
    ...((gt ?? lt) ? [{ range }] : []),
    ...(readable ? [{ compound: { should: readable, minimumShouldMatch: 1 } }] : []),
  ];
}

function vectorFilter(within: FindWithin): object[] {
  const { createdAfter, createdBefore } = within;
  const readable = readableAs(within)?.map(({ has = [], hasNot = [] }) => ({
    $and: [
      ...has.map(([path, values]) => ({ [path]: { $in: values } })),
      ...hasNot.map(([path, values]) => ({ [path]: { $nin: values } })),
    ],
  }));
  const excluded = excludedBy(within);
  return [
    ...tokensOf(within).map(([path, values]) => ({ [path]: { $in: values } })),
    ...(excluded ? [{ sourceId: { $nin: excluded } }] : []),
    ...(readable ? [{ $or: readable }] : []),
    ...(createdAfter ? [{ createdAt: { $gt: createdAfter } }] : []),
    ...(createdBefore ? [{ createdAt: { $lt: createdBefore } }] : []),
  ];
}

/** Tells whoever starts the service at once when the database has no search. */
export async function openPassageFinder(database: Database): Promise<PassageFinder> {
  const finder = passageFinder(database);
  try {
    await finder.prepareWords();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(
      `CONTENT_SEARCH=mongodb does not work here: ${said}. Without it the service has an index of its own.`,
      { cause: error },
    );
  }
  return finder;
}
