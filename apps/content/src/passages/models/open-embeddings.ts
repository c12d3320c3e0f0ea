import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { INSTALL, nothingToClose, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import { apiEmbeddings } from './api-embeddings.ts';
import { localEmbeddings } from './local-embeddings.ts';
import { miniLmEncoder } from './minilm-encoder.ts';
import { shippedEncoder } from './shipped-encoder.ts';

export interface EmbeddingsChoice {
  readonly EMBEDDINGS_BASE_URL: string | undefined;
  readonly EMBEDDINGS_API_KEY: string | undefined;
  readonly EMBEDDINGS_MODEL: string;
}

/** The best that there is: an API by configuration, a model that was installed, else what comes with its package. */
export function openEmbeddings(
  choice: EmbeddingsChoice,
  models: LocalModels | undefined,
  logger: Pick<Logger, 'warn'>,
): SelectedModel<Embeddings> {
  const notice = embeddingsNotice(choice, models);
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = choice;
  if (baseUrl !== undefined) return { model: apiEmbeddings({ baseUrl, apiKey, model }), notice, ...nothingToClose };
  const local = localEmbeddings(miniLmEncoder(models) ?? shippedEncoder, logger);
  return { model: local, notice, close: local.close };
}

/** Which model there is and what would make it better, for the line at a start. */
export function embeddingsNotice(
  { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model }: EmbeddingsChoice,
  models: LocalModels | undefined,
): string {
  if (baseUrl !== undefined) return `embeddings: ${model} by API`;
  const installed = miniLmEncoder(models)?.model;
  return `embeddings: ${installed ?? `${shippedEncoder.model} (better: ${INSTALL})`}`;
}
