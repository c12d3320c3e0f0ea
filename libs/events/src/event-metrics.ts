import { cachedForMetrics } from '@platform-backend/core';
import type { Metrics } from '@platform-backend/core/metrics';
import { consumerLag } from './consumer-lag.ts';
import type { EventBus } from './nats/event-bus.ts';
import type { Backlog, Outbox } from './outbox.ts';

type Shown = Pick<Metrics, 'observe' | 'counter'>;

/** Shows how publishing lags behind; answers what counts an event that was set aside. */
export function outboxMetrics(metrics: Shown, outbox: Pick<Outbox, 'backlog'>): () => void {
  const backlog = cachedForMetrics(() => outbox.backlog());
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

/** Shows how a durable consumer lags behind; answers what counts an event that it gave up. */
export function consumerMetrics(metrics: Shown, bus: EventBus, consumer: string): () => void {
  const lag = cachedForMetrics(async () => {
    const session = await bus.ready(AbortSignal.timeout(READY_MS));
    if (!session) throw new Error('NATS cannot be reached');
    return consumerLag(session, consumer);
  });
  metrics.observe(
    'events_unhandled',
    'Events in the stream that the consumer has not finished.',
    async () => (await lag()).events,
    { consumer },
  );
  metrics.observe(
    'events_dead_letters',
    'Events that the consumer gave up and that wait for somebody to look at them.',
    async () => (await lag()).deadLetters,
    { consumer },
  );
  const count = metrics.counter('events_dead_letters_total', 'Events that this process gave up.', ['consumer']);
  return () => count(consumer);
}

/** Long enough for a connection that is there; metrics do not wait for one that is not. */
const READY_MS = 1_000;
