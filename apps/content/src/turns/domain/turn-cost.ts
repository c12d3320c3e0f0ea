import { idOf, type Decision, type Fields } from '@platform-backend/core';
import type { Message } from '../../conversations/domain/message.ts';
import type { DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import type { ModelTerms, TokenPrice, TokenUsage } from './language-model.ts';

const MILLION = 1_000_000n;

/** What reading and writing so much costs, in micros, rounded up. */
export const costOf = ({ input, output }: TokenPrice, { inputTokens, outputTokens }: TokenUsage): bigint =>
  (BigInt(inputTokens) * input + BigInt(outputTokens) * output + MILLION - 1n) / MILLION;

/** The same of the dearest answer that there may be. */
export function greatestCost({ maxTokens, maxWritten, price }: ModelTerms): bigint {
  const outputTokens = price.output > price.input ? maxWritten : 0;
  return costOf(price, { inputTokens: maxTokens - outputTokens, outputTokens });
}

/** What is kept of an answer about what it has used, from its first words on. */
export const usageFields = ({ inputTokens, outputTokens }: TokenUsage, cost: bigint): Fields => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  credits_micros: Number(cost),
});

/** What an answer has cost, in micros, as far as that was stored. */
export function storedCost(annotations: Fields): bigint {
  const { usage } = annotations as { readonly usage?: { readonly credits_micros?: unknown } };
  const micros = usage?.credits_micros;
  return typeof micros === 'number' && Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : 0n;
}

/** The same whoever ends the turn. */
export const turnDebitId = (turnId: string): string => idOf(['turn', turnId]);

/** The end of an answer with what it has cost; nothing where it had ended before. */
export const endOwing = (
  end: Decision<Message, ContentEvent>,
  debits: readonly DebitCreated[],
): Decision<Message, ContentEvent> => (end.events.length === 0 ? end : { ...end, events: [...end.events, ...debits] });
