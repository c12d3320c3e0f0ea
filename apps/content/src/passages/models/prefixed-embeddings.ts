import type { Embeddings, Prefixes } from '../domain/embeddings.ts';

/** Questions and passages each behind what the encoder wants in front of them, and a space; other texts as they are. */
export const prefixedEmbeddings = <E extends Embeddings>(embeddings: E, prefixes: Prefixes): E => ({
  ...embeddings,
  embed: (texts, options) => {
    const prefix = options.as === undefined ? '' : prefixes[options.as];
    return embeddings.embed(prefix === '' ? texts : texts.map((text) => `${prefix} ${text}`), options);
  },
});
