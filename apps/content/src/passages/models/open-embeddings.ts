import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { INSTALL, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import { installedEncoders } from './installed-encoders.ts';
import { localEmbeddings, type Encoder, type LocalEmbeddings } from './local-embeddings.ts';
import { prefixedEmbeddings } from './prefixed-embeddings.ts';
import { shippedEncoder } from './shipped-encoder.ts';

export interface EmbeddingsChoice {
  readonly EMBEDDINGS_BASE_URL: string | undefined;
  readonly EMBEDDINGS_API_KEY: string | undefined;
  readonly EMBEDDINGS_MODEL: string;
  readonly EMBEDDINGS_QUESTION_PREFIX?: string | undefined;
  readonly EMBEDDINGS_PASSAGE_PREFIX?: string | undefined;
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
  const { EMBEDDINGS_QUESTION_PREFIX: question = '', EMBEDDINGS_PASSAGE_PREFIX: passage = '' } = choice;
  const opened = new Map<string, LocalEmbeddings>();
  const local = (encoder: Encoder): LocalEmbeddings => {
    const present = opened.get(encoder.model) ?? localEmbeddings(encoder, logger);
    opened.set(encoder.model, present);
    return present;
  };
  const installed = [...installedEncoders(models), shippedEncoder];
  const byApi = baseUrl === undefined ? undefined : await import('./api-embeddings.ts');
  const api = (name: string) =>
    baseUrl &&
    byApi &&
    prefixedEmbeddings(byApi.apiEmbeddings({ baseUrl, apiKey, model: name }), { question, passage });
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
  {
    EMBEDDINGS_BASE_URL: baseUrl,
    EMBEDDINGS_MODEL: model,
  }: Pick<EmbeddingsChoice, 'EMBEDDINGS_BASE_URL' | 'EMBEDDINGS_MODEL'>,
  models: LocalModels | undefined,
): string {
  if (baseUrl !== undefined) return `embeddings: ${model} by API`;
  const installed = installedEncoders(models)[0]?.model;
  return `embeddings: ${installed ?? `${shippedEncoder.model} (better: ${INSTALL})`}`;
}
