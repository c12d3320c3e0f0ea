import { unavailable, type Logger } from '@platform-backend/core';
import type { Reranker } from '../domain/reranker.ts';
import { RERANKING_PAUSE_MS, rerankingPauses } from '../domain/reranking-pauses.ts';
import type { Hit, Search, SearchAnswer, SearchQuery } from '../domain/search.ts';

export interface RerankedSearchPorts {
  readonly search: Search;
  readonly reranker: Reranker;
  readonly logger: Pick<Logger, 'warn'>;
  /** Counts searches by what has become of them. */
  readonly count: (outcome: RerankingOutcome) => void;
  readonly timeoutMs?: number;
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number;
}

/** `paused`: it was not asked, since it had failed again and again. */
export type RerankingOutcome = 'reranked' | 'left_as_found' | 'paused';

/** How many of the best are read together with the question. */
export const RERANKED = 40;

/** How long a search waits for it, in milliseconds. */
const RERANK_TIMEOUT_MS = 1_500;

/**
 * The best of a search by words and meaning in the order that a reranker gives them, whose scores say as well whether any fits. Where it is
 * away or late, they stay as they were found, and after several times it is not asked for a while. A search by one of the two alone is what was asked for, and stays that.
 */
export function rerankedSearch(ports: RerankedSearchPorts): Search {
  const { search, reranker, logger, count, timeoutMs = RERANK_TIMEOUT_MS } = ports;
  const { now = () => performance.now() } = ports;
  const pauses = rerankingPauses();

  const scoresOf = async (
    organisationId: string,
    question: string,
    hits: readonly Hit[],
    signal: AbortSignal | undefined,
  ): Promise<readonly number[] | undefined> => {
    const late = Promise.withResolvers<never>();
    const over = new AbortController();
    const giveUp = (): void => {
      late.reject(unavailable(new Error('the reranker takes too long')));
      over.abort();
    };
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    try {
      const work = reranker.rerank(question, hits.map(readAs), { organisationId, signal: over.signal });
      const scores = await Promise.race([work, late.promise]);
      pauses.succeeded(organisationId);
      return scores;
    } catch (error) {
      signal?.throwIfAborted();
      if (pauses.failed(organisationId, now()))
        logger.warn(
          { event: 'search.reranking_paused', organisationId, seconds: RERANKING_PAUSE_MS / 1000 },
          'the reranker fails again and again: searches of an organisation do not wait for it for a while',
        );
      logger.warn(
        { event: 'search.reranking_failed', err: error },
        'what a search has found could not be reranked in time and stays as it was found',
      );
      return undefined;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  };

  return {
    async search(organisationId, query, options = {}) {
      if (query.mode !== 'hybrid') return search.search(organisationId, query, options);
      const wanted = { ...query, limit: Math.max(RERANKED, query.limit), relevantOnly: false };
      const answer = await search.search(organisationId, wanted, options);
      const best = answer.hits.slice(0, RERANKED);
      if (best.length === 0) return answer;
      const isAsked = pauses.mayAsk(organisationId, now());
      const scores = isAsked ? await scoresOf(organisationId, query.text, best, options.signal) : undefined;
      count(scores ? 'reranked' : isAsked ? 'left_as_found' : 'paused');
      // Among those that were not asked for there may be more that fit.
      if (!scores && query.relevantOnly && answer.hits.length >= wanted.limit)
        return search.search(organisationId, query, options);
      const hits = scores ? inOrder(answer.hits, scores, reranker.relevantFrom) : answer.hits;
      return asAsked(answer, hits, query);
    },
  };
}

/** The name says what a table or a pronoun is about. */
const readAs = ({ kind, title, text }: Hit): string =>
  kind === 'MESSAGE' || title === '' ? text : `${title}\n\n${text}`;

/** The best first; what was not read stays behind them in its order, and does not fit. */
function inOrder(hits: readonly Hit[], scores: readonly number[], relevantFrom: number): readonly Hit[] {
  const read = hits.slice(0, scores.length).map((hit, at) => {
    const score = scores[at] ?? 0;
    return { ...hit, score, isRelevant: score >= relevantFrom };
  });
  const ordered = read.toSorted((one, other) => other.score - one.score);
  const least = ordered.at(-1)?.score ?? 0;
  const others = hits.slice(scores.length).map((hit) => ({ ...hit, score: hit.score * least, isRelevant: false }));
  return [...ordered, ...others];
}

const asAsked = (answer: SearchAnswer, hits: readonly Hit[], { limit, relevantOnly = false }: SearchQuery) => ({
  ...answer,
  hits: hits.filter(({ isRelevant }) => isRelevant || !relevantOnly).slice(0, limit),
});
