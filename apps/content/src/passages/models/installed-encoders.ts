import type { LocalModelOptions, LocalModels } from '../../model-runtime/models/local-models.ts';
import { NO_PREFIXES } from '../domain/embeddings.ts';
import type { Encoder } from './local-embeddings.ts';

/** How the vector of a text is made of those of its words: their mean, or that of the mark in front of them. */
type Pooling = 'mean' | 'cls';

export type InstalledEncoderOptions = LocalModelOptions & { readonly pooling: Pooling };

interface Description extends Omit<Encoder, 'module' | 'options' | 'maxLength'> {
  readonly pooling: Pooling;
}

/**
 * Those that `npm run models` can install. The usual one is the last: whoever has installed another one wants that. What nobody has measured
 * is left open.
 */
const descriptions: readonly Description[] = [
  {
    // About 100 languages.
    model: 'multilingual-e5-small',
    dimensions: 384,
    pooling: 'mean',
    prefixes: { question: 'query:', passage: 'passage:' },
    batch: 4,
    memoryMiB: 1536,
  },
  {
    model: 'bge-small-en-v1.5',
    dimensions: 384,
    pooling: 'cls',
    prefixes: { question: 'Represent this sentence for searching relevant passages:', passage: '' },
    batch: 4,
    memoryMiB: 1024,
  },
  {
    model: 'all-MiniLM-L6-v2',
    dimensions: 384,
    pooling: 'mean',
    prefixes: NO_PREFIXES,
    similarityThreshold: 0.33,
    meaningWeighs: 1,
    batch: 8,
    memoryMiB: 1024,
  },
];

/** Those that are there, the one that is used first. */
export const installedEncoders = (models: LocalModels | undefined): readonly Encoder[] =>
  descriptions.flatMap(({ pooling, ...encoder }) => {
    if (!models?.has(encoder.model)) return [];
    const { library, directory } = models;
    const options: InstalledEncoderOptions = { library, directory, model: encoder.model, pooling };
    return [
      { ...encoder, module: new URL('installed-encoder-process.ts', import.meta.url), options, maxLength: 2_500 },
    ];
  });
