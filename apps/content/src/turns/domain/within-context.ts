import { contextTooLong } from './errors.ts';
import type { Question } from './language-model.ts';
import { tokensBesideMessages, tokensOfMessage } from './question-tokens.ts';

/** How much a model reads and writes at once; undefined: nobody has said. */
interface Context {
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number;
}

/**
 * The question without its oldest messages as far as the model could not read them with it. CONTEXT_TOO_LONG: what is asked is by itself longer
 * than the model reads, which nobody has to try and to pay for.
 */
export function withinContext(
  question: Question,
  { contextTokens, maxOutputTokens }: Context,
  countTokens: (text: string) => number,
): Question {
  if (contextTokens === undefined) return question;
  const { messages } = question;
  const lengths = messages.map((message) => tokensOfMessage(message, countTokens));
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const room = contextTokens - maxOutputTokens - tokensBesideMessages(question, countTokens);
  let [from, left] = [0, lengths.reduce((sum, tokens) => sum + tokens, 0)];
  // A conversation begins with what a person says.
  while (left > room && from < last) {
    do {
      left -= lengths[from] ?? 0;
      from += 1;
    } while (from < last && messages[from]?.role !== 'user');
  }
  if (left > room) throw contextTooLong();
  return from === 0 ? question : { ...question, messages: messages.slice(from) };
}
