import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { createMetrics } from '@platform-backend/core/metrics';
import { openEventBus, startRelay } from '../../src/index.ts';
import { borrowed } from './events.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/**
 * A service of its own, made to be killed: relays the outbox over the NATS address and commits one event for the
 * subject that the suite wrote behind the program's own arguments, and says its id once that is committed.
 */
export async function relayUntilKilled({ outbox, commit }: Pick<StoreUnderTest<never>, 'outbox' | 'commit'>) {
  const [natsUrl = '', subject = ''] = process.argv.slice(-2);
  const logger = createLogger({ service: 'relay-process', level: 'silent' });
  const bus = openEventBus({ servers: natsUrl, name: 'relay-process', logger });
  startRelay({ outbox, bus, logger, metrics: createMetrics() });
  await bus.ready(new AbortController().signal);
  const id = newId();
  await commit('org_1', [borrowed(subject, { id })]);
  process.stdout.write(`${id}\n`);
}
