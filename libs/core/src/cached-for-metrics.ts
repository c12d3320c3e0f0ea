import { outsideOfCalls } from './outside-of-calls.ts';

/** An answer serves all who ask within so many milliseconds. */
const REMEMBERED_MS = 3_000;

/**
 * For metrics that several series read from one answer, and that are collected by whoever wants to: also while an answer is under way, and
 * after a failure, nobody asks once more.
 */
export function cachedForMetrics<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askAgainAt = -Infinity;
  return () => {
    if (answer && performance.now() < askAgainAt) return answer;
    askAgainAt = Infinity;
    answer = outsideOfCalls(ask).finally(() => (askAgainAt = performance.now() + REMEMBERED_MS));
    return answer;
  };
}
