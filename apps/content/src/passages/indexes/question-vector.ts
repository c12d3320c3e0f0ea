import { DomainError, unavailable, type Logger } from '@platform-backend/core';
import type { Embeddings } from '../domain/embeddings.ts';
import type { SearchQuery } from '../domain/search.ts';

export interface QuestionVectorPorts {
  readonly embeddings: Embeddings;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What a question means. Undefined: it goes by its words alone, because it is to or because it could not be embedded. */
export async function vectorOfQuestion(
  { embeddings, logger }: QuestionVectorPorts,
  { text, mode }: SearchQuery,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  if (mode === 'keyword') return undefined;
  try {
    const [vector] = await embeddings.embed([text], { signal, urgent: true });
    return vector;
  } catch (error) {
    signal?.throwIfAborted();
    if (mode === 'semantic') throw error instanceof DomainError ? error : unavailable(error);
    logger.warn(
      { event: 'search.embedding_failed', err: error },
      'a question could not be embedded and is answered by its words alone',
    );
    return undefined;
  }
}
