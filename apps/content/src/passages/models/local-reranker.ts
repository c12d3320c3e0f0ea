import { fairSemaphore, unavailable, upstreamFailed, type Logger } from '@platform-backend/core';
import type { LocalModelOptions, LocalModels } from '../../model-runtime/models/local-models.ts';
import { modelProcess } from '../../model-runtime/models/model-process.ts';
import type { Reranker } from '../domain/reranker.ts';
import { encodable, inBatches } from './vectors.ts';

export interface LocalReranker extends Reranker {
  /** Ends the process; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** A question, and texts that may answer it. */
export interface RerankTask {
  readonly question: string;
  readonly texts: readonly string[];
}

export const LOCAL_RERANKER = 'ms-marco-MiniLM-L-6-v2';

/** Texts in one task: others get their turn in between. */
const BATCH = 10;
/** More than the model reads of question and text together, in UTF-16 units; it cuts the rest. */
const MAX_LENGTH = 2_500;

export interface LocalRerankerOptions {
  readonly model: string;
  /** The module that serves it, and what it is told at its start. */
  readonly module: URL;
  readonly options: unknown;
  readonly relevantFrom: number;
}

/** The cross-encoder that `npm run models` installs, for English; undefined where it is not installed. */
export const installedReranker = (
  models: LocalModels | undefined,
  relevantFrom: number,
): LocalRerankerOptions | undefined =>
  models?.has(LOCAL_RERANKER)
    ? {
        model: LOCAL_RERANKER,
        module: new URL('minilm-reranker-process.ts', import.meta.url),
        options: {
          ...{ library: models.library, directory: models.directory, model: LOCAL_RERANKER },
        } satisfies LocalModelOptions,
        relevantFrom,
      }
    : undefined;

/** Scores texts in a process that is there only while it is needed. Whoever stops waiting leaves a process that has its model by then. */
export function localReranker(
  { model, module, options, relevantFrom }: LocalRerankerOptions,
  logger: Pick<Logger, 'warn'>,
  { idleMs = 600_000, timeoutMs = 60_000, queueTimeoutMs = 10_000 } = {},
): LocalReranker {
  const semaphore = fairSemaphore({
    slots: 1,
    share: 1,
    maxWaiting: 8,
    maxWaitingInAll: 128,
    timeoutMs: queueTimeoutMs,
  });
  const rerankers = modelProcess<RerankTask, readonly number[]>({
    ...{ module, options, processes: 1, timeoutMs, idleMs, memoryMiB: 1024, logger },
  });
  return {
    model,
    relevantFrom,
    async rerank(question, texts, { organisationId, signal }) {
      const asked = encodable(question, MAX_LENGTH);
      const scores: number[] = [];
      for (const batch of inBatches(texts, BATCH)) {
        const task = { question: asked, texts: batch.map((text) => encodable(text, MAX_LENGTH)) };
        const scored = await semaphore.run('tenants', organisationId, () => {
          if (signal.aborted) throw unavailable(signal.reason);
          return rerankers.run(task);
        });
        if (scored.length !== batch.length) throw upstreamFailed(new Error('the model has not scored each text'));
        scores.push(...scored);
      }
      return scores;
    },
    close: () => rerankers.close(),
  };
}
