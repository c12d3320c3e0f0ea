import { invalid } from '@platform-backend/core';
import type { Payer, WithCredits } from '../../credits/domain/credits.ts';
import type { Embeddings } from '../../passages/domain/embeddings.ts';
import { textsIn } from '../domain/embedding-input.ts';
import { modelUnknown } from '../domain/errors.ts';
import { unsupportedValue } from '../domain/violations.ts';

export interface EmbeddingPorts {
  readonly embeddings: Embeddings;
  /** How many tokens texts have together. */
  readonly countTexts: (texts: readonly string[]) => Promise<number>;
  readonly withCredits: WithCredits;
}

export interface EmbeddingInput {
  readonly model: string;
  readonly input: unknown;
  readonly dimensions: number | null;
}

export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  readonly tokens: number;
}

export type EmbeddingUseCases = ReturnType<typeof embeddingUseCases>;

/** As many go before what is embedded in the background, as a question that is searched for does. */
const FEW = 16;

export const embeddingUseCases = ({ embeddings, countTexts, withCredits }: EmbeddingPorts) => ({
  /**
   * A vector for each text, in their order, by the encoder that searches use. NOT_FOUND: another encoder. INVALID: no texts, or another
   * number of dimensions. PAYMENT_REQUIRED: there are no credits.
   */
  async embed(by: Payer, { model, input, dimensions }: EmbeddingInput, signal: AbortSignal): Promise<EmbeddedTexts> {
    if (model !== embeddings.model) throw modelUnknown();
    const texts = textsIn(input);
    const { organisationId } = by;
    const vectors = await withCredits(by, () =>
      embeddings.embed(texts, { organisationId, signal, urgent: texts.length <= FEW }),
    );
    const present = vectors[0]?.length ?? 0;
    if (dimensions !== null && dimensions !== present)
      throw invalid([unsupportedValue('dimensions', `Vectors are not shortened: they have ${present}`)]);
    return { vectors, tokens: await countTexts(texts) };
  },
});
