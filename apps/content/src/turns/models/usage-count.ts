import { noUsage, type TokenUsage } from '../domain/language-model.ts';

export type UsageCount = ReturnType<typeof usageCount>;

/**
 * Counts what an answer uses while it is written, so that it is known whenever it ends: a step reads the question with all
 * that was written and answered by tools before it, and begins to count when the model says anything. What the server
 * says of a step that is over takes the place of what was counted; there are those that say nothing. `asked`: the tokens of the question.
 */
export function usageCount(asked: number, countTokens: (text: string) => number) {
  let over = noUsage;
  /** What the present step reads, as soon as it is known that it was read at all. */
  let toRead = asked;
  /** What tools have answered in it, for the next one. */
  let answered = 0;
  let read = 0;
  let written = 0;
  const soFar = (): TokenUsage => ({
    inputTokens: over.inputTokens + read,
    outputTokens: over.outputTokens + written,
  });
  return {
    written(text: string): TokenUsage {
      read = toRead;
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
        inputTokens: over.inputTokens + (told.inputTokens ?? toRead),
        outputTokens: over.outputTokens + (told.outputTokens ?? written),
      };
      toRead += written + answered;
      [read, written, answered] = [0, 0, 0];
      return soFar();
    },
  };
}
