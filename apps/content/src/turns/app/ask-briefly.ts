import type { LanguageModel, TokenUsage } from '../domain/language-model.ts';

/** What is asked beside an answer of a model that is named for it, such as for a title. */
export interface BriefQuestion {
  readonly model: string;
  readonly instructions: string;
  readonly text: string;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
}

/** All that the model says. Rejected when it is late, or the signal is aborted; what it has used until then was counted. */
export async function askBriefly(
  model: Pick<LanguageModel, 'answer'>,
  { model: name, instructions, text, maxOutputTokens, timeoutMs }: BriefQuestion,
  { signal, count }: { readonly signal: AbortSignal; readonly count: (usage: TokenUsage) => void },
): Promise<string> {
  let said = '';
  for await (const part of model.answer(
    {
      ...{ instructions, messages: [{ role: 'user', text }], tools: [] },
      ...{ model: name, temperature: null, generation: { maxOutputTokens } },
    },
    AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  )) {
    if (part.kind === 'usage') count(part.usage);
    else if (part.kind === 'text') said += part.text;
  }
  return said;
}
