import { TOKENS_OF_IMAGE } from './images.ts';
import type { ChatMessage, Question } from './language-model.ts';

/** How many tokens a question has: what a model is told besides the conversation, and each message. */
export interface QuestionTokens {
  readonly besideMessages: number;
  readonly messages: readonly number[];
}

/** About how many texts have together. */
type CountTexts = (texts: readonly string[]) => Promise<number>;

export async function tokensOfQuestion(question: Question, count: CountTexts): Promise<QuestionTokens> {
  const besideMessages = await count(textsBesideMessages(question));
  const messages: number[] = [];
  for (const message of question.messages) messages.push((await count([textOf(message)])) + tokensOfImages(message));
  return { besideMessages, messages };
}

/** How to answer, and which tools there are. */
const textsBesideMessages = ({ instructions, tools }: Pick<Question, 'instructions' | 'tools'>): readonly string[] => [
  instructions,
  ...tools.map(({ name, description, parameters, schema }) =>
    JSON.stringify({ name, description, parameters: schema ?? parameters }),
  ),
];

const textOf = (message: ChatMessage): string =>
  message.role === 'tool' ? `${JSON.stringify(message.call)}${message.text}` : message.text;

const tokensOfImages = (message: ChatMessage): number =>
  message.role === 'user' ? TOKENS_OF_IMAGE * (message.images?.length ?? 0) : 0;
