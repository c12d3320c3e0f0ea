import { TOKENS_OF_IMAGE } from './images.ts';
import type { ChatMessage, Question } from './language-model.ts';

type CountTokens = (text: string) => number;

/** Of what a model is told besides the conversation: how to answer, and which tools there are. */
export const tokensBesideMessages = (
  { instructions, tools }: Pick<Question, 'instructions' | 'tools'>,
  countTokens: CountTokens,
): number =>
  tools
    .map(({ name, description, parameters, schema }) =>
      JSON.stringify({ name, description, parameters: schema ?? parameters }),
    )
    .reduce((sum, text) => sum + countTokens(text), countTokens(instructions));

export function tokensOfMessage(message: ChatMessage, countTokens: CountTokens): number {
  switch (message.role) {
    case 'tool':
      return countTokens(`${JSON.stringify(message.call)}${message.text}`);
    case 'user':
      return countTokens(message.text) + TOKENS_OF_IMAGE * (message.images?.length ?? 0);
    case 'assistant':
      return countTokens(message.text);
  }
}
