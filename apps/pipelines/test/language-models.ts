import type { ServiceKeys } from '@platform-backend/auth';
import {
  contentContract,
  type CheckGenerationsRequest,
  type GeneratedTextInput,
  type GenerateTextRequest,
} from '@platform-backend/contract-content';
import { DomainError, unavailable } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';

type Answer = Partial<GeneratedTextInput> & { readonly text: string };

/**
 * Stands in for content: a language model that answers what the test says, and each id once. What content itself does of this, with the models, is
 * tested there and end to end.
 */
export async function languageModels(keys: ServiceKeys) {
  /** Those that the model was asked, in their order. */
  const asked: GenerateTextRequest[] = [];
  const kept = new Map<string, { readonly attempt: number; readonly answer: GeneratedTextInput }>();
  let answer: (request: GenerateTextRequest, signal: AbortSignal) => Answer | Promise<Answer> = () => ({ text: 'yes' });
  let isUnavailable = false;
  const generateText = async (request: GenerateTextRequest, context: CallContext): Promise<GeneratedTextInput> => {
    if (isUnavailable) throw unavailable(new Error('away'));
    const known = kept.get(request.id);
    if (known && (known.answer.outcome === 'ANSWERED' || known.attempt >= request.attempt)) return known.answer;
    asked.push(request);
    const told = await answer(request, context.signal);
    context.signal.throwIfAborted();
    const whole = {
      outcome: 'ANSWERED',
      errors: [],
      model: 'm',
      inputTokens: 7,
      outputTokens: 3,
      costMicros: 20,
      ...told,
    } as const;
    kept.set(request.id, { attempt: request.attempt, answer: whole });
    return whole;
  };
  const checkGenerations = ({ generations }: CheckGenerationsRequest) => {
    if (isUnavailable) throw unavailable(new Error('away'));
    const problem = { field: 'model', message: 'there is no such language model' };
    return {
      problems: generations.flatMap(({ model }, index) => (model === 'unknown' ? [{ ...problem, index }] : [])),
    };
  };
  const { address, close } = await standIn(
    contentContract,
    { GenerationService: { generateText, checkGenerations } },
    keys,
  );
  return {
    ...{ address, close, asked },
    answers: (next: typeof answer) => void (answer = next),
    leave: () => void (isUnavailable = true),
    comeBack: () => void (isUnavailable = false),
  };
}

/** As content refuses. */
export const refusal = (kind: DomainError['kind'], code: string, message: string): DomainError =>
  new DomainError({ kind, code, message });
