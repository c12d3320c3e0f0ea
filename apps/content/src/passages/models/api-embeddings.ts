import { fairSemaphore, unavailable, upstreamFailed } from '@platform-backend/core';
import { isTooLong, openAiClient, type ApiOptions } from '../../model-runtime/models/openai-client.ts';
import type { Embeddings } from '../domain/embeddings.ts';
import { encodable, inBatches, unitVector } from './vectors.ts';

/** What the smallest limit that is usual takes: servers of one's own often refuse more than 32 texts at once. */
const batchSize = 32;

/** Above what models read, and below what APIs refuse. */
const maxLength = 16_000;

/** A text that is too long is cut to no less: every model reads that much. */
const minLength = 200;

/** A server that speaks OpenAI's protocol. Few requests run at once, and questions go before texts. */
export function apiEmbeddings(
  options: ApiOptions & { readonly dimensions?: number | undefined },
  { timeoutMs = 30_000, queueTimeoutMs = 120_000 } = {},
): Embeddings {
  const client = openAiClient(options, timeoutMs);
  const { dimensions } = options;
  const semaphore = fairSemaphore({
    slots: 4,
    // Whoever embeds much leaves one to all others.
    share: 3,
    maxWaiting: 64,
    maxWaitingInAll: 512,
    timeoutMs: queueTimeoutMs,
  });

  async function embedBatch(input: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const request = { model: options.model, input, encoding_format: 'base64', ...(dimensions && { dimensions }) };
    const answer = (await client.postJson('embeddings', request, signal)) as { readonly data?: unknown } | null;
    const data = Array.isArray(answer?.data) ? (answer.data as { index?: number; embedding?: unknown }[]) : [];
    return input.map((_text, at) => unitVector(numbersOf(data.find(({ index }) => index === at)?.embedding)));
  }

  /** What is too long for the server is asked for in smaller requests, and a text by itself by its beginning. */
  async function embedFitting(input: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    try {
      return await embedBatch(input, signal);
    } catch (error) {
      const [text = ''] = input;
      if (!isTooLong(error) || (input.length === 1 && text.length <= minLength)) throw error;
      const half = Math.ceil(input.length / 2);
      const parts =
        input.length === 1
          ? [[encodable(text, Math.ceil(text.length / 2))]]
          : [input.slice(0, half), input.slice(half)];
      const vectors: Float32Array[] = [];
      for (const part of parts) vectors.push(...(await embedFitting(part, signal)));
      return vectors;
    }
  }

  return {
    model: options.model,
    async embed(texts, { organisationId, signal, urgent = false }) {
      const vectors: Float32Array[] = [];
      const cut = texts.map((text) => encodable(text, maxLength));
      for (const batch of inBatches(cut, batchSize)) {
        const embedded = await semaphore.run(urgent ? 'tenants' : 'system', organisationId, async () => {
          if (signal?.aborted) throw unavailable(signal.reason);
          return embedFitting(batch, signal);
        });
        vectors.push(...embedded);
      }
      return vectors;
    },
  };
}

/** Little-endian 32-bit numbers in base64, as asked for; some servers answer with a list nevertheless. */
function numbersOf(embedding: unknown): ArrayLike<number> {
  if (Array.isArray(embedding)) return embedding as number[];
  if (typeof embedding !== 'string') throw upstreamFailed(new Error('a text has no embedding in base64 or as a list'));
  const bytes = Buffer.from(embedding, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
