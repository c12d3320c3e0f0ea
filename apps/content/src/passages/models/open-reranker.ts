import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { nothingToClose, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { Reranker } from '../domain/reranker.ts';
import { installedReranker, LOCAL_RERANKER, localReranker } from './local-reranker.ts';

export interface RerankerChoice {
  readonly RERANK_URL: string | undefined;
  readonly RERANK_API_KEY: string | undefined;
  readonly RERANK_MODEL: string | undefined;
  readonly RERANK_RELEVANT_PERCENT: number;
}

/** An API by configuration, a model that was installed, or none. */
export async function openReranker(
  { RERANK_URL, RERANK_API_KEY: apiKey, RERANK_MODEL: model, RERANK_RELEVANT_PERCENT: percent }: RerankerChoice,
  models: LocalModels | undefined,
  logger: Pick<Logger, 'warn'>,
): Promise<SelectedModel<Reranker | undefined>> {
  const relevantFrom = percent / 100;
  if (RERANK_URL !== undefined) {
    const { apiReranker } = await import('./api-reranker.ts');
    const reranker = apiReranker({ baseUrl: RERANK_URL, apiKey, model, relevantFrom });
    return { model: reranker, notice: `reranker: ${reranker.model} by API`, ...nothingToClose };
  }
  const installed = installedReranker(models, relevantFrom);
  if (!installed)
    return {
      model: undefined,
      notice: `reranker: none (npm run models -- install ${LOCAL_RERANKER})`,
      ...nothingToClose,
    };
  const reranker = localReranker(installed, logger);
  return { model: reranker, notice: `reranker: ${installed.model}`, close: reranker.close };
}
