import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { INSTALL, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import { isSameEncoder, LOCAL_ENDPOINT, type EncoderIdentity } from '../domain/encoder-identity.ts';
import { installedEncoders } from './installed-encoders.ts';
import { localEmbeddings, type Encoder, type LocalEmbeddings } from './local-embeddings.ts';
import { prefixedEmbeddings } from './prefixed-embeddings.ts';
import { shippedEncoder } from './shipped-encoder.ts';

export interface EmbeddingsChoice {
  readonly EMBEDDINGS_BASE_URL: string | undefined;
  readonly EMBEDDINGS_API_KEY: string | undefined;
  readonly EMBEDDINGS_MODEL: string;
  readonly EMBEDDINGS_DIMENSIONS?: number | undefined;
  readonly EMBEDDINGS_QUESTION_PREFIX?: string | undefined;
  readonly EMBEDDINGS_PASSAGE_PREFIX?: string | undefined;
}

/** The chosen encoder, and which one that is. */
export interface SelectedEncoder extends SelectedModel<Embeddings> {
  readonly identity: EncoderIdentity;
  /** Another one, for what it has embedded: where it is installed, or the same API has it. */
  readonly before: (wanted: EncoderIdentity, current: EncoderIdentity) => Embeddings | undefined;
}

/** The best that there is: an API by configuration, a model that was installed, else what comes with its package. */
export async function openEmbeddings(
  choice: EmbeddingsChoice,
  models: LocalModels | undefined,
  logger: Pick<Logger, 'warn'>,
): Promise<SelectedEncoder> {
  const notice = embeddingsNotice(choice, models);
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: name } = choice;
  const { EMBEDDINGS_QUESTION_PREFIX: question = '', EMBEDDINGS_PASSAGE_PREFIX: passage = '' } = choice;
  const { EMBEDDINGS_DIMENSIONS: dimensions } = choice;
  const opened = new Map<string, LocalEmbeddings>();
  const local = (encoder: Encoder): LocalEmbeddings => {
    const present = opened.get(encoder.model) ?? localEmbeddings(encoder, logger);
    opened.set(encoder.model, present);
    return present;
  };
  const installed = [...installedEncoders(models), shippedEncoder];
  const [first = shippedEncoder] = installed;
  const byApi = baseUrl === undefined ? undefined : await openApi(baseUrl, apiKey);
  const identity: EncoderIdentity = byApi
    ? { name, endpoint: byApi.host, dimensions, prefixes: { question, passage } }
    : identityOf(first);
  return {
    model: byApi?.open(identity) ?? local(first),
    identity,
    notice,
    before: (wanted, current) => {
      const encoder = installed.find((one) => isSameEncoder({ ...identityOf(one), endpoint: wanted.endpoint }, wanted));
      const isLocal = wanted.endpoint === undefined || wanted.endpoint === LOCAL_ENDPOINT;
      if (encoder && isLocal) return local(encoder);
      if (!byApi || (wanted.endpoint !== undefined && wanted.endpoint !== byApi.host)) return undefined;
      // Servers that cannot shorten vectors are not asked to.
      const isShortened =
        wanted.name === name && (dimensions !== undefined || wanted.dimensions !== current.dimensions);
      return byApi.open(isShortened ? wanted : { ...wanted, dimensions: undefined });
    },
    close: async () => {
      await Promise.all([...opened.values()].map(({ close }) => close()));
    },
  };
}

const identityOf = ({ model: name, dimensions, prefixes }: Encoder): EncoderIdentity => ({
  ...{ name, endpoint: LOCAL_ENDPOINT, dimensions, prefixes },
});

async function openApi(baseUrl: string, apiKey: string | undefined) {
  const { apiEmbeddings } = await import('./api-embeddings.ts');
  return {
    host: new URL(baseUrl).host,
    open: ({ name: model, dimensions, prefixes }: EncoderIdentity): Embeddings =>
      prefixedEmbeddings(apiEmbeddings({ baseUrl, apiKey, model, dimensions }), prefixes),
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
