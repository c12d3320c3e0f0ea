import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import {
  openEventBus,
  startRelay,
  toCloudEvent,
  type Event,
  type OutboxMessage,
  type RelayOptions,
} from '@platform-backend/events';

/** Publishes events the way a service does, with an outbox in memory. */
export interface EventPublisher {
  publish(event: Event): void;
  stop(): Promise<void>;
}

export function eventPublisher(natsUrl: string): EventPublisher {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = openEventBus({ servers: natsUrl, name: 'test', logger });
  let waiting: OutboxMessage[] = [];
  let wake = (): void => undefined;
  const outbox: RelayOptions['outbox'] = {
    async publishNext(limit, publish) {
      const taken = waiting.slice(0, limit);
      const { published, permanentFailures } = await publish(taken);
      waiting = waiting.filter(({ id }) => !published.has(id) && !permanentFailures.has(id));
      const failed = taken.length - published.size - permanentFailures.size;
      return { published: published.size, setAside: permanentFailures.size, failed, heldBack: 0 };
    },
    listen(given) {
      wake = given;
      return { close: () => Promise.resolve() };
    },
    prune: () => Promise.resolve(0),
    republish: () => Promise.resolve(0),
    backlog: () => Promise.resolve({ events: waiting.length, oldestAgeMs: 0, setAside: 0 }),
  };
  const relay = startRelay({ outbox, bus, logger, metrics: createMetrics() });
  return {
    publish(event) {
      const { id, type, ...rest } = toCloudEvent(event);
      waiting.push({ id, type, organisationId: rest.organisationid, body: JSON.stringify({ id, type, ...rest }) });
      wake();
    },
    stop: async () => {
      await relay.stop();
      await bus.close();
    },
  };
}
