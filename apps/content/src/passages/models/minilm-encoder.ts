import type { LocalModelOptions, LocalModels } from '../../model-runtime/models/local-models.ts';
import type { Encoder } from './local-embeddings.ts';

const model = 'all-MiniLM-L6-v2';

/** English, 384 dimensions; undefined where it is not installed. */
export const miniLmEncoder = (models: LocalModels | undefined): Encoder | undefined =>
  models?.has(model)
    ? {
        model,
        similarityThreshold: 0.33,
        meaningWeighs: 1,
        module: new URL('minilm-encoder-process.ts', import.meta.url),
        options: { library: models.library, directory: models.directory, model } satisfies LocalModelOptions,
        maxLength: 2_500,
        batch: 8,
        memoryMiB: 1024,
      }
    : undefined;
