import { DomainError } from '@platform-backend/core';
import type { Opening } from '../../access/domain/opening.ts';
import type { Encoders } from '../domain/encoders.ts';
import type { PassageFinder } from '../domain/passage-finder.ts';
import type { PassageReference, PassageStore, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { SearchMode } from '../domain/search.ts';
import { hitsOf, shownReferences, SPARE_HITS } from './hits.ts';
import { indexThread, type IndexThread } from './index-thread.ts';
import { indexedSource } from './indexed-source.ts';
import type { PassageSearch } from './passage-search.ts';
import { vectorOfQuestion, type QuestionVectorPorts } from './question-vector.ts';

export interface DatabaseSearchOptions extends Omit<QuestionVectorPorts, 'embeddings'> {
  readonly encoders: Encoders;
  readonly passageStore: PassageStore;
  readonly finder: PassageFinder;
  /** What whoever asks may open; undefined: everything. */
  readonly opening: () => Promise<Opening | undefined>;
}

/** How many are found by words, and as many by meaning, from which the best of both are chosen. */
const CANDIDATES = 100;

/**
 * Searches by what the database finds. It finds by words and by meaning apart; both lists are put in one order by the same
 * index that searches an organisation else, built for the moment of those that were found.
 */
export function databaseSearch(
  { passageStore, finder, opening: presentOpening, ...ports }: DatabaseSearchOptions,
  thread: IndexThread = indexThread(),
): PassageSearch {
  const { encoders, logger } = ports;
  return {
    async search(organisationId, query, { signal } = {}) {
      const opening = await presentOpening();
      const within = { ...query, opening, limit: Math.max(CANDIDATES, query.limit + SPARE_HITS) };
      const embeddings = await encoders.answering(organisationId);
      let vector = await vectorOfQuestion({ ...ports, embeddings }, organisationId, query, signal);
      const byMeaning = async (): Promise<readonly PassageReference[]> => {
        if (!vector) return [];
        try {
          return await finder.byVector(organisationId, { model: embeddings.model, vector }, within);
        } catch (error) {
          if (query.mode === 'semantic' || !(error instanceof DomainError)) throw error;
          logger.warn({ event: 'search.vectors_unavailable', err: error }, 'a question is answered by its words alone');
          vector = undefined;
          return [];
        }
      };
      const byWords = query.mode === 'semantic' ? [] : finder.byWords(organisationId, query.text, within);
      const [near, worded] = await Promise.all([byMeaning(), byWords]);
      const stored = await passageStore.lookUp(organisationId, unique([...near, ...worded]), { vectors: true });
      const mode: SearchMode = vector ? query.mode : 'keyword';
      const { similarityThreshold } = embeddings;
      const asked = { ...query, opening, mode, limit: query.limit, similarityThreshold, ...(vector && { vector }) };
      const sources = sourcesOf(stored, embeddings.model);
      const { found } = await thread.ask({ do: 'rank', sources, query: asked });
      const around = query.contextPassages
        ? await passageStore.lookUp(organisationId, othersThan(stored, shownReferences(found, query.contextPassages)))
        : [];
      return { hits: hitsOf({ found, query, mode }, [...stored, ...around]), mode, isComplete: true };
    },
    removeIndex: () => Promise.resolve(),
    close: thread.close,
  };
}

const unique = (references: readonly PassageReference[]): readonly PassageReference[] => [
  ...new Map(references.map((one) => [`${one.generation}/${String(one.ordinal)}`, one])).values(),
];

const othersThan = (stored: LookedUp, references: readonly PassageReference[]): readonly PassageReference[] =>
  references.filter(
    ({ generation, ordinal }) =>
      !stored.some(({ source, passage }) => source.generation === generation && passage.ordinal === ordinal),
  );

type LookedUp = readonly { readonly source: StoredSource; readonly passage: StoredPassage }[];

function sourcesOf(stored: LookedUp, model: string) {
  return [...Map.groupBy(stored, ({ source }) => source.generation).values()].flatMap((ofSource) => {
    const [{ source } = {}] = ofSource;
    const passages = ofSource.map(({ passage: { ordinal, text, vector, model: own } }) => ({
      ordinal,
      text,
      ...(vector && own === model && { vector }),
    }));
    return source ? [{ source: indexedSource(source), passages }] : [];
  });
}
