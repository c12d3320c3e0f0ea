import { inboxSuite } from './inbox-suite.ts';
import { killedProcessSuite } from './killed-process-suite.ts';
import { outboxSuite } from './outbox-suite.ts';
import { relaySuite } from './relay-suite.ts';
import type { EventStorage } from './store-under-test.ts';

export * from './events.ts';
export * from './library.ts';
export type { EventStorage, StoreUnderTest } from './store-under-test.ts';

/**
 * The promises of `Outbox` and `Inbox` as tests, with real NATS and a process that is really killed. Whoever keeps
 * events in another storage calls this in a test file of its own; see `EventStorage` for what it has to bring.
 */
export function eventStoreSuite<Transaction>(storage: EventStorage<Transaction>): void {
  outboxSuite(storage);
  inboxSuite(storage);
  relaySuite(storage);
  killedProcessSuite(storage);
}
