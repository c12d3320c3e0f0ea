import { DomainError } from '@platform-backend/core';
import type { Opening } from '../../access/domain/opening.ts';
import type { Encoders } from '../domain/encoders.ts';
import type { PassageFinder, SampledPassage } from '../domain/passage-finder.ts';
import type { PassageReference, PassageStore, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { ReaderQuery, SearchMode } from '../domain/search.ts';
import { hitsOf, shownReferences, SPARE_HITS } from './hits.ts';
import { kindsSearchedWith } from './index-parts.ts';
import { indexThread, type IndexThread } from './index-thread.ts';
import { indexedSource } from './indexed-source.ts';
import { spreadOf, type Spread } from './merge-scores.ts';
import type { PassageSearch } from './passage-search.ts';
import { vectorOfQuestion, type QuestionVectorPorts } from './question-vector.ts';
import { queryWords } from './words.ts';

export interface DatabaseSearchOptions extends Omit<QuestionVectorPorts, 'embeddings'> {
  readonly encoders: Encoders;
  readonly passageStore: PassageStore;
  readonly finder: PassageFinder;
  /** What whoever asks may open; undefined: everything. */
  readonly opening: () => Promise<Opening | undefined>;
}

/** How many are found by words, and as many by meaning, from which the best of both are chosen. */
const CANDIDATES = 100;

/** How many vectors say how similar to the question texts are that have nothing to do with it. */
const SAMPLE = 200;

/** A question has seldom more that tell something; what is beyond is as frequent as among the candidates. */
const MAX_COUNTED_WORDS = 12;

/** How often more is looked for where a few sources had all of the best. */
const MAX_ROUNDS = 4;

/**
 * Searches by what the database finds. It finds by words and by meaning apart; both lists are put in one order by the same
 * index that searches an organisation else, built for the moment of those that were found. What scores follow from besides,
 * how frequent words are and how similar texts in general, is asked of all that the organisation has, so that it is the same order.
 */
export function databaseSearch(
  { passageStore, finder, opening: presentOpening, ...ports }: DatabaseSearchOptions,
  thread: IndexThread = indexThread(),
): PassageSearch {
  const { encoders, logger } = ports;
  const wordsOfAll = async (organisationId: string, { text, mode, kinds, memberId, opening }: ReaderQuery) => {
    if (mode === 'semantic') return undefined;
    const words = queryWords(text).slice(0, MAX_COUNTED_WORDS);
    const written = words.map((word) => word.written);
    return finder.countWords(organisationId, written, { kinds: kindsSearchedWith(kinds), memberId, opening });
  };
  return {
    async search(organisationId, query, { signal } = {}) {
      const opening = await presentOpening();
      const embeddings = await encoders.answering(organisationId);
      const { model, similarityThreshold, meaningWeighs } = embeddings;
      let vector = await vectorOfQuestion({ ...ports, embeddings }, organisationId, query, signal);
      let isUnavailable = false;
      const unlessAway = async <T>(work: (vector: Float32Array) => Promise<readonly T[]>): Promise<readonly T[]> => {
        if (!vector) return [];
        try {
          return await work(vector);
        } catch (error) {
          if (query.mode === 'semantic' || !(error instanceof DomainError)) throw error;
          // Told once, whoever finds it out first.
          if (!isUnavailable)
            logger.warn(
              { event: 'search.vectors_unavailable', err: error },
              'a question is answered by its words alone',
            );
          isUnavailable = true;
          vector = undefined;
          return [];
        }
      };
      const limit = Math.max(CANDIDATES, query.limit + SPARE_HITS);
      const candidates = async (excludedSourceIds: readonly string[]) => {
        const within = { ...query, opening, limit, excludedSourceIds };
        const [near, worded] = await Promise.all([
          unlessAway((asked) => finder.byVector(organisationId, { model, vector: asked }, within)),
          query.mode === 'semantic' ? [] : finder.byWords(organisationId, query.text, within),
        ]);
        const found = await passageStore.lookUp(organisationId, unique([...near, ...worded]), { vectors: true });
        return { found, near, isAll: near.length < limit && worded.length < limit };
      };
      const sampled = () =>
        unlessAway((asked) =>
          finder.sample(organisationId, { model, dimensions: asked.length }, { ...query, opening, limit: SAMPLE }),
        );
      const [first, counted, sample] = await Promise.all([
        candidates([]),
        wordsOfAll(organisationId, { ...query, opening }),
        query.mode === 'hybrid' ? sampled() : [],
      ]);
      const mode: SearchMode = vector ? query.mode : 'keyword';
      const spread = vector && spreadOfAll(vector, { ...first, sample, texts: counted?.texts ?? 0, model });
      const whole = { texts: counted?.texts ?? 0, found: counted?.found ?? [], spread };
      const asked = { ...query, opening, mode, similarityThreshold, meaningWeighs, whole, ...(vector && { vector }) };
      const rank = (ranked: LookedUp) => thread.ask({ do: 'rank', sources: sourcesOf(ranked, model), query: asked });
      let stored: LookedUp = first.found;
      let { found } = await rank(stored);
      let { isAll } = first;
      for (let round = 1; round < MAX_ROUNDS && !isAll && found.length < query.limit; round += 1) {
        const exhausted = exhaustedSources(stored, query.maxPerSource);
        if (exhausted.length === 0) break;
        const more = await candidates(exhausted);
        // What has not all that it may have is found once more.
        stored = uniqueIn([...stored, ...more.found]);
        ({ found } = await rank(stored));
        ({ isAll } = more);
      }
      const around = query.contextPassages
        ? await passageStore.lookUp(organisationId, othersThan(stored, shownReferences(found, query.contextPassages)))
        : [];
      return { hits: hitsOf({ found, query, mode }, [...stored, ...around]), mode, isComplete: true };
    },
    removeIndex: () => Promise.resolve(),
    close: thread.close,
  };
}

const cosinesOf = (vectors: readonly Float32Array[], question: Float32Array): Float32Array =>
  Float32Array.from(vectors, (vector) =>
    vector.reduce((sum, value, dimension) => sum + value * (question[dimension] ?? 0), 0),
  );

interface Sampled {
  readonly found: LookedUp;
  readonly near: readonly PassageReference[];
  readonly sample: readonly SampledPassage[];
  readonly texts: number;
  readonly model: string;
}

/** Of all similarities: those of the nearest as they are, and those of all others as far as the sample tells. */
function spreadOfAll(question: Float32Array, { found, near, sample, texts, model }: Sampled): Spread | undefined {
  if (sample.length === 0) return undefined;
  const nearest = new Set(near.map(keyOf));
  const isNear = (one: PassageReference): boolean => nearest.has(keyOf(one));
  const vectorsOfNearest = found.flatMap(({ source: { generation }, passage: { ordinal, vector, model: own } }) =>
    vector && own === model && isNear({ generation, ordinal }) ? [vector] : [],
  );
  const others = sample.filter((one) => !isNear(one)).map(({ vector }) => vector);
  const isAll = sample.length < SAMPLE;
  return spreadOf(cosinesOf(vectorsOfNearest, question), cosinesOf(others, question), isAll ? 0 : texts);
}

/** Sources of which an answer has all that it may have: what else they have is worse. */
function exhaustedSources(stored: LookedUp, maxPerSource = Infinity): readonly string[] {
  const bySource = Map.groupBy(stored, ({ source }) => source.id);
  return [...bySource].flatMap(([id, passages]) => (passages.length >= maxPerSource ? [id] : []));
}

const unique = (references: readonly PassageReference[]): readonly PassageReference[] => [
  ...new Map(references.map((one) => [keyOf(one), one])).values(),
];

const uniqueIn = (stored: LookedUp): LookedUp => [
  ...new Map(stored.map((one) => [keyOf({ ...one.source, ordinal: one.passage.ordinal }), one])).values(),
];

const keyOf = ({ generation, ordinal }: PassageReference): string => `${generation}/${String(ordinal)}`;

const othersThan = (stored: LookedUp, references: readonly PassageReference[]): readonly PassageReference[] =>
  references.filter(
    ({ generation, ordinal }) =>
      !stored.some(({ source, passage }) => source.generation === generation && passage.ordinal === ordinal),
  );

type LookedUp = readonly { readonly source: StoredSource; readonly passage: StoredPassage }[];

function sourcesOf(stored: LookedUp, model: string) {
  return [...Map.groupBy(stored, ({ source }) => source.generation).values()].flatMap((ofSource) => {
    const [{ source } = {}] = ofSource;
    const passages = ofSource.map(({ passage: { ordinal, text, heading, vector, model: own } }) => ({
      ordinal,
      text,
      heading,
      ...(vector && own === model && { vector }),
    }));
    return source ? [{ source: indexedSource(source), passages }] : [];
  });
}
