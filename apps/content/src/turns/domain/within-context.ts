import { contextTooLong } from './errors.ts';
import { TOKENS_OF_IMAGE } from './images.ts';
import type { ChatMessage, Question } from './language-model.ts';

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
  const { instructions, messages, tools } = question;
  const described = tools.map(({ name, description, parameters, schema }) =>
    JSON.stringify({ name, description, parameters: schema ?? parameters }),
  );
  const fixed = [instructions, ...described].reduce((sum, text) => sum + countTokens(text), 0);
  const lengths = messages.map((message) => tokensOf(message, countTokens));
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const room = contextTokens - maxOutputTokens - fixed;
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

const tokensOf = (message: ChatMessage, countTokens: (text: string) => number): number =>
  countTokens(message.text) +
  (message.role === 'tool' ? countTokens(JSON.stringify(message.call)) : 0) +
  (message.role === 'user' ? TOKENS_OF_IMAGE * (message.images?.length ?? 0) : 0);
