import { noUsage, type Question, type TokenUsage } from '../domain/language-model.ts';
import { tokensBesideMessages, tokensOfMessage } from '../domain/question-tokens.ts';

export type UsageCount = ReturnType<typeof usageCount>;

/**
 * Counts what an answer uses while it is written, so that it is known whenever it ends: a step reads the question with all
 * that was written and answered by tools before it, and begins to count when the model says anything. What the server
 * says of a step that is over takes the place of what was counted; there are those that say nothing.
 */
export function usageCount(question: Question, countTokens: (text: string) => number) {
  let over = noUsage;
  /** What the present step reads; counted when it is known that the question was read at all. */
  let asked: number | undefined;
  /** What tools have answered in it, for the next one. */
  let answered = 0;
  let read = 0;
  let written = 0;
  const toRead = (): number =>
    (asked ??= question.messages.reduce(
      (sum, message) => sum + tokensOfMessage(message, countTokens),
      tokensBesideMessages(question, countTokens),
    ));
  const soFar = (): TokenUsage => ({
    inputTokens: over.inputTokens + read,
    outputTokens: over.outputTokens + written,
  });
  return {
    written(text: string): TokenUsage {
      read = toRead();
      written += countTokens(text);
      return soFar();
    },
    answeredByTool(text: string): void {
      answered += countTokens(text);
    },
    stepEnded(told: {
      readonly inputTokens: number | undefined;
      readonly outputTokens: number | undefined;
    }): TokenUsage {
      over = {
        inputTokens: over.inputTokens + (told.inputTokens ?? toRead()),
        outputTokens: over.outputTokens + (told.outputTokens ?? written),
      };
      asked = toRead() + written + answered;
      [read, written, answered] = [0, 0, 0];
      return soFar();
    },
  };
}
