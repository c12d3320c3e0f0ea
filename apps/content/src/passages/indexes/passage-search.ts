import type { Clock } from '@platform-backend/core';
import type { PassageStore } from '../domain/passage-store.ts';
import type { Search, SearchMode } from '../domain/search.ts';
import { hitsOf, SPARE_HITS } from './hits.ts';
import { indexThread, type IndexThread } from './index-thread.ts';
import { openedIndexes, partsOf, type IndexCounts, type IndexLimits } from './opened-indexes.ts';
import { vectorOfQuestion, type QuestionVectorPorts } from './question-vector.ts';

export interface PassageSearchOptions extends IndexLimits, QuestionVectorPorts {
  readonly timeoutMs?: number;
  readonly passageStore: PassageStore;
  readonly clock: Clock;
}

export interface PassageSearch extends Search {
  /** Absent where another server keeps the indexes. */
  readonly counts?: () => IndexCounts;
  readonly removeIndex: (organisationId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Searches by an index in a thread of this process; what is answered is what the store has at that moment. */
export function passageSearch(options: PassageSearchOptions, thread: IndexThread = indexThread()): PassageSearch {
  const { passageStore } = options;
  const indexes = openedIndexes(options, thread);
  return {
    async search(organisationId, query, { signal } = {}) {
      const [vector] = await Promise.all([
        vectorOfQuestion(options, organisationId, query, signal),
        indexes.fresh(organisationId, partsOf(query.kinds), signal),
      ]);
      const mode: SearchMode = vector ? query.mode : 'keyword';
      const { similarityThreshold } = options.embeddings;
      const asked = { ...query, mode, limit: query.limit + SPARE_HITS, similarityThreshold, ...(vector && { vector }) };
      const { found, isComplete } = await indexes.search(organisationId, asked, signal);
      const stored = await passageStore.lookUp(organisationId, found);
      return { hits: hitsOf({ found, query, mode }, stored), mode, isComplete };
    },
    counts: indexes.counts,
    removeIndex: indexes.drop,
    close: thread.close,
  };
}
