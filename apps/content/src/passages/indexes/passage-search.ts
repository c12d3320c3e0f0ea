import type { Clock } from '@platform-backend/core';
import type { Opening } from '../../access/domain/opening.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import type { Encoders } from '../domain/encoders.ts';
import type { PassageStore } from '../domain/passage-store.ts';
import type { Search, SearchAnswer, SearchMode } from '../domain/search.ts';
import { hitsOf, shownReferences, SPARE_HITS } from './hits.ts';
import { partsOf } from './index-parts.ts';
import { indexThread, type IndexThread } from './index-thread.ts';
import {
  openedIndexes,
  OtherModel,
  type IndexCounts,
  type IndexLimits,
  type OpenedIndexesOptions,
} from './opened-indexes.ts';
import { vectorOfQuestion, type QuestionVectorPorts } from './question-vector.ts';

export interface PassageSearchOptions
  extends
    IndexLimits,
    Omit<QuestionVectorPorts, 'embeddings'>,
    Pick<OpenedIndexesOptions, 'snapshots' | 'minSavedPassages'> {
  readonly encoders: Encoders;
  readonly timeoutMs?: number;
  readonly passageStore: PassageStore;
  /** What whoever asks may open; undefined: everything. */
  readonly opening: () => Promise<Opening | undefined>;
  readonly clock: Clock;
}

/** How often a question is embedded, as an index may be of another model each time; a second change comes days later. */
const MAX_ATTEMPTS = 3;

export interface PassageSearch extends Search {
  /** Absent where another server keeps the indexes. */
  readonly counts?: () => IndexCounts;
  /** To be done again and again: see `openedIndexes`. Absent where there are no snapshots. */
  readonly keepSnapshots?: (stopping?: AbortSignal) => Promise<void>;
  readonly removeIndex: (organisationId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Searches by an index in a thread of this process; what is answered is what the store has at that moment. */
export function passageSearch(options: PassageSearchOptions, thread: IndexThread = indexThread()): PassageSearch {
  const { passageStore, encoders } = options;
  const modelOf = async (organisationId: string) => (await encoders.answering(organisationId)).model;
  const onSaveError = (err: unknown, organisationId: string): void =>
    options.logger.warn(
      { event: 'search.snapshot_failed', err, organisationId },
      'the snapshot of a search index could not be written; the next start will build it from the store',
    );
  const indexes = openedIndexes({ ...options, modelOf, onSaveError }, thread);
  return {
    async search(organisationId, query, { signal } = {}) {
      const ask = async (embeddings: Embeddings): Promise<SearchAnswer> => {
        const [vector, opening] = await Promise.all([
          vectorOfQuestion({ ...options, embeddings }, organisationId, query, signal),
          options.opening(),
          indexes.fresh(organisationId, partsOf(query.kinds), signal),
        ]);
        const mode: SearchMode = vector ? query.mode : 'keyword';
        const { similarityThreshold, meaningWeighs, model } = embeddings;
        const limit = query.limit + SPARE_HITS;
        const asked = { ...query, opening, mode, limit, similarityThreshold, meaningWeighs, ...(vector && { vector }) };
        const { found, isComplete } = await indexes.search(organisationId, { ...asked, model }, signal);
        const shown = shownReferences(found, query.contextPassages);
        const stored = await passageStore.lookUp(organisationId, shown);
        return { hits: hitsOf({ found, query, mode }, stored), mode, isComplete };
      };
      let embeddings = await encoders.answering(organisationId);
      for (let attempt = 1; ; attempt += 1)
        try {
          return await ask(embeddings);
        } catch (error) {
          if (!(error instanceof OtherModel) || attempt === MAX_ATTEMPTS) throw error;
          // The index of the model that answers is still being built, or was done at this moment, which the next attempt may learn as well.
          embeddings = encoders.of(error.model) ?? encoders.current;
        }
    },
    counts: indexes.counts,
    ...(options.snapshots && { keepSnapshots: (stopping?: AbortSignal) => indexes.keepSnapshots(stopping) }),
    removeIndex: (organisationId) => indexes.drop(organisationId),
    close: async () => {
      await indexes.close();
      await thread.close();
    },
  };
}
