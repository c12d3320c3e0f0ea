import { fairSemaphore, unavailable, type Logger } from '@platform-backend/core';
import { modelProcess } from '../../model-runtime/models/model-process.ts';
import type { Embeddings, Prefixes } from '../domain/embeddings.ts';
import { prefixedEmbeddings } from './prefixed-embeddings.ts';
import { encodable, inBatches, unitVector } from './vectors.ts';

/** An encoder that runs in a process of its own. */
export interface Encoder {
  readonly model: string;
  /** Of its vectors. */
  readonly dimensions: number;
  /** What it was trained with. */
  readonly prefixes: Prefixes;
  /** As measured by `npm run bench -- retrieval`; see `Embeddings`. */
  readonly similarityThreshold?: number;
  /** Likewise. */
  readonly meaningWeighs?: number;
  /** The module that serves it, and what it is told at its start. */
  readonly module: URL;
  readonly options: unknown;
  /** Characters that it reads of a text; what comes after them is cut. */
  readonly maxLength: number;
  /** Texts in one task: a question waits for the task that runs, so it is short. */
  readonly batch: number;
  readonly memoryMiB: number;
}

export interface LocalEmbeddings extends Embeddings {
  /** Ends the process; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Of one call at most one batch waits, so this many calls can wait: of one organisation, and of all. */
const maxWaiting = 64;
const maxWaitingInAll = 512;

/**
 * Embeds one batch after the other in a process that is there only while it is needed. Calls take turns batch by batch,
 * and questions go before texts, so that a long document keeps nobody waiting.
 */
export function localEmbeddings(
  encoder: Encoder,
  logger: Pick<Logger, 'warn'>,
  { idleMs = 120_000, timeoutMs = 60_000, queueTimeoutMs = 120_000 } = {},
): LocalEmbeddings {
  const semaphore = fairSemaphore({
    slots: 1,
    share: 1,
    maxWaiting,
    maxWaitingInAll,
    timeoutMs: queueTimeoutMs,
  });
  const encoders = modelProcess<readonly string[], readonly ArrayLike<number>[]>({
    module: encoder.module,
    options: encoder.options,
    processes: 1,
    timeoutMs,
    idleMs,
    memoryMiB: encoder.memoryMiB,
    logger,
  });
  const embeddings: LocalEmbeddings = {
    model: encoder.model,
    similarityThreshold: encoder.similarityThreshold,
    meaningWeighs: encoder.meaningWeighs,
    async embed(texts, { organisationId, signal, urgent = false }) {
      const vectors: Float32Array[] = [];
      const cut = texts.map((text) => encodable(text, encoder.maxLength));
      for (const batch of inBatches(cut, encoder.batch)) {
        const encoded = await semaphore.run(urgent ? 'tenants' : 'system', organisationId, async () => {
          if (signal?.aborted) throw unavailable(signal.reason);
          return encoders.run(batch);
        });
        vectors.push(...encoded.map(unitVector));
      }
      return vectors;
    },
    close: () => encoders.close(),
  };
  return prefixedEmbeddings(embeddings, encoder.prefixes);
}
