import type { Metrics } from '@platform-backend/core/metrics';
import type { TurnMeters } from '../app/turn-meters.ts';

/** Prometheus: see docs/operations.md. */
export function turnMeters(metrics: Metrics): TurnMeters {
  const timeToFirstToken = metrics.histogram({
    name: 'content_turn_time_to_first_token_seconds',
    help: 'From the question to the first word of an answer.',
    labels: [],
    buckets: [0.1, 0.3, 1, 2, 4, 8, 15, 30, 60, 120],
  });
  const tokens = metrics.histogram({
    name: 'content_turn_tokens',
    help: 'Tokens that one answer has used.',
    labels: ['direction'],
    buckets: [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
  });
  const turns = metrics.counter('content_turns_total', 'Answers by how they have ended.', ['outcome']);
  const toolFailed = metrics.counter('content_tool_failures_total', 'Tools that failed in an answer.', ['tool']);
  const notStored = metrics.counter(
    'content_turns_not_stored_total',
    'Attempts to store the end of an answer, or what it has cost, that failed.',
    ['what'],
  );
  return {
    timeToFirstToken,
    toolFailed,
    notStored,
    ended(outcome, { inputTokens, outputTokens }) {
      turns(outcome);
      tokens(inputTokens, 'in');
      tokens(outputTokens, 'out');
    },
  };
}
