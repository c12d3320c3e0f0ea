import type { Logger } from '@platform-backend/core';
import type { Embeddings } from '../domain/embeddings.ts';
import type { PassageFinder } from '../domain/passage-finder.ts';

/** With the first vectors of a length their index is made, so that it is there when somebody asks. */
export function preparingVectorIndex(
  embeddings: Embeddings,
  finder: Pick<PassageFinder, 'prepareVectors'>,
  logger: Pick<Logger, 'warn'>,
): Embeddings {
  const prepared = new Set<number>();
  return {
    ...embeddings,
    async embed(texts, options) {
      const vectors = await embeddings.embed(texts, options);
      const dimensions = vectors[0]?.length ?? 0;
      if (dimensions > 0 && !prepared.has(dimensions)) {
        prepared.add(dimensions);
        void finder.prepareVectors(dimensions).catch((error: unknown) => {
          prepared.delete(dimensions);
          logger.warn(
            { event: 'vector_index.creation_failed', err: error },
            'MongoDB could not be told to index vectors now',
          );
        });
      }
      return vectors;
    },
  };
}
