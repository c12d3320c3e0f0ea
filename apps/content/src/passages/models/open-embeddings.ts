import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { INSTALL, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import { localEmbeddings, type Encoder, type LocalEmbeddings } from './local-embeddings.ts';
import { miniLmEncoder } from './minilm-encoder.ts';
import { shippedEncoder } from './shipped-encoder.ts';

export interface EmbeddingsChoice {
  readonly EMBEDDINGS_BASE_URL: string | undefined;
  readonly EMBEDDINGS_API_KEY: string | undefined;
  readonly EMBEDDINGS_MODEL: string;
}

/**
 * The best that there is: an API by configuration, a model that was installed, else what comes with its package. `before`: another one by
 * its name, which is installed or which the same API has, for what it has embedded.
 */
export async function openEmbeddings(
  choice: EmbeddingsChoice,
  models: LocalModels | undefined,
  logger: Pick<Logger, 'warn'>,
): Promise<SelectedModel<Embeddings> & { readonly before: (model: string) => Embeddings | undefined }> {
  const notice = embeddingsNotice(choice, models);
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = choice;
  const opened = new Map<string, LocalEmbeddings>();
  const local = (encoder: Encoder): LocalEmbeddings => {
    const present = opened.get(encoder.model) ?? localEmbeddings(encoder, logger);
    opened.set(encoder.model, present);
    return present;
  };
  const installed = [miniLmEncoder(models), shippedEncoder].filter((encoder) => encoder !== undefined);
  const byApi = baseUrl === undefined ? undefined : await import('./api-embeddings.ts');
  const api = (name: string) => baseUrl && byApi?.apiEmbeddings({ baseUrl, apiKey, model: name });
  return {
    model: api(model) || local(installed[0] ?? shippedEncoder),
    notice,
    before: (name) => {
      const encoder = installed.find((one) => one.model === name);
      return encoder ? local(encoder) : api(name) || undefined;
    },
    close: async () => {
      await Promise.all([...opened.values()].map(({ close }) => close()));
    },
  };
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
