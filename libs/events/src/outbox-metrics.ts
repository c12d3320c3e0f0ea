import type { Metrics } from '@platform/core/metrics';
import type { Backlog, Outbox } from './outbox.ts';

/** An answer of the database serves all who ask within so many milliseconds. */
const REMEMBERED_MS = 3_000;

/** Shows how publishing lags behind; answers what counts an event that was set aside. */
export function outboxMetrics(
  metrics: Pick<Metrics, 'observe' | 'counter'>,
  outbox: Pick<Outbox, 'backlog'>,
): () => void {
  const backlog = askedSeldom(() => outbox.backlog());
  const observe = (name: string, help: string, of: (backlog: Backlog) => number): void =>
    metrics.observe(name, help, async () => of(await backlog()));
  observe('events_unpublished', 'Events in the outbox that wait to be published.', ({ events }) => events);
  observe(
    'events_oldest_unpublished_age_seconds',
    'How long the oldest of them has waited, in seconds.',
    ({ oldestAgeMs }) => oldestAgeMs / 1_000,
  );
  observe(
    'events_set_aside',
    'Events that can never be published and wait for somebody to look at them.',
    ({ setAside }) => setAside,
  );
  return metrics.counter('events_set_aside_total', 'Events that this process has set aside.');
}

/** Also while an answer is under way, and after a failure, nobody asks once more. */
function askedSeldom<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askAgainAt = -Infinity;
  return () => {
    if (answer && performance.now() < askAgainAt) return answer;
    askAgainAt = Infinity;
    answer = ask().finally(() => (askAgainAt = performance.now() + REMEMBERED_MS));
    return answer;
  };
}
