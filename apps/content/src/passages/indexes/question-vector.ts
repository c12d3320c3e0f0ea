import { DomainError, unavailable, type Logger } from '@platform-backend/core';
import type { Embeddings } from '../domain/embeddings.ts';
import type { SearchQuery } from '../domain/search.ts';

export interface QuestionVectorPorts {
  readonly embeddings: Embeddings;
  readonly logger: Pick<Logger, 'warn'>;
  readonly vectorTimeoutMs?: number;
}

/** Rejects when the signal is aborted, whatever becomes of the work. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const refuse = (): void => aborted.reject(unavailable(signal.reason));
  signal.addEventListener('abort', refuse);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    work.catch(() => undefined);
    signal.removeEventListener('abort', refuse);
  }
}

/** How long a question that has words as well waits for what it means, in milliseconds. */
const VECTOR_TIMEOUT_MS = 1_500;

/**
 * What a question means. Undefined: it goes by its words alone, because it is to, because it could not be embedded, or because that
 * takes longer than anybody would wait for it.
 */
export async function vectorOfQuestion(
  { embeddings, logger, vectorTimeoutMs = VECTOR_TIMEOUT_MS }: QuestionVectorPorts,
  organisationId: string,
  { text, mode }: SearchQuery,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  if (mode === 'keyword') return undefined;
  try {
    const timeout = mode === 'hybrid' ? AbortSignal.timeout(vectorTimeoutMs) : undefined;
    const wanted = [signal, timeout].filter((one) => one !== undefined);
    const options = { organisationId, signal: AbortSignal.any(wanted), urgent: true, as: 'question' } as const;
    const [vector] = await unlessAborted(embeddings.embed([text], options), timeout);
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
