import { contextTooLong } from './errors.ts';
import type { Question } from './language-model.ts';
import type { QuestionTokens } from './question-tokens.ts';

/** How much a model reads and writes at once; undefined: nobody has said. */
interface Context {
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number;
}

/** A question that a model can read, and how many tokens that are. */
interface FittedQuestion {
  readonly question: Question;
  readonly tokens: number;
}

/**
 * The question without its oldest messages as far as the model could not read them with it. CONTEXT_TOO_LONG: what is asked is by itself longer
 * than the model reads, which nobody has to try and to pay for.
 */
export function withinContext(
  question: Question,
  { besideMessages, messages: lengths }: QuestionTokens,
  { contextTokens = Infinity, maxOutputTokens }: Context,
): FittedQuestion {
  const { messages } = question;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const room = contextTokens - maxOutputTokens - besideMessages;
  let [from, left] = [0, lengths.reduce((sum, tokens) => sum + tokens, 0)];
  // A conversation begins with what a person says.
  while (left > room && from < last) {
    do {
      left -= lengths[from] ?? 0;
      from += 1;
    } while (from < last && messages[from]?.role !== 'user');
  }
  if (left > room) throw contextTooLong();
  const fitted = from === 0 ? question : { ...question, messages: messages.slice(from) };
  return { question: fitted, tokens: besideMessages + left };
}
