import { fairSemaphore, unavailable, upstreamFailed } from '@platform-backend/core';
import { openAiClient } from '../../model-runtime/models/openai-client.ts';
import type { Reranker } from '../domain/reranker.ts';
import { encodable } from './vectors.ts';

export interface ApiRerankerOptions {
  /** With its version, where it has one: `https://api.jina.ai/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Undefined: the server has one model and is not told which, as Text Embeddings Inference. */
  readonly model: string | undefined;
  readonly relevantFrom: number;
}

/** What servers read of a text at most, in UTF-16 units: a passage is shorter. */
const MAX_LENGTH = 4_000;

/** A server that ranks texts by `POST /rerank`. Few requests run at once, and organisations take turns. */
export function apiReranker(
  { baseUrl, apiKey, model, relevantFrom }: ApiRerankerOptions,
  timeoutMs = 10_000,
): Reranker {
  const client = openAiClient({ baseUrl, apiKey, model: model ?? '' }, timeoutMs);
  const semaphore = fairSemaphore({ slots: 8, share: 4, maxWaiting: 16, maxWaitingInAll: 128, timeoutMs });
  return {
    model: model ?? 'rerank',
    relevantFrom,
    async rerank(question, texts, { organisationId, signal }) {
      const query = encodable(question, MAX_LENGTH);
      const documents = texts.map((text) => encodable(text, MAX_LENGTH));
      const body =
        model === undefined
          ? { query, texts: documents, truncate: true }
          : { model, query, documents, top_n: documents.length };
      return semaphore.run('tenants', organisationId, async () => {
        if (signal.aborted) throw unavailable(signal.reason);
        return scoresIn(await client.postJson('rerank', body, signal), texts.length);
      });
    },
  };
}

interface ScoredText {
  readonly index?: unknown;
  /** As Cohere and Jina call it. */
  readonly relevance_score?: unknown;
  /** As Text Embeddings Inference calls it. */
  readonly score?: unknown;
}

/** By the places of the texts: servers answer the best first. */
function scoresIn(answer: unknown, count: number): readonly number[] {
  const { results = answer } = (answer ?? {}) as { readonly results?: unknown };
  const scores = new Map<unknown, number>();
  for (const one of Array.isArray(results) ? (results as (ScoredText | null)[]) : []) {
    const score = one?.relevance_score ?? one?.score;
    if (typeof score === 'number' && Number.isFinite(score)) scores.set(one?.index, Math.min(1, Math.max(0, score)));
  }
  return Array.from({ length: count }, (_, at) => {
    const score = scores.get(at);
    if (score === undefined) throw upstreamFailed(new Error(`the answer has no score for text ${String(at)}`));
    return score;
  });
}
