import { createLogger } from '@platform/core';
import { createMetrics } from '@platform/core/metrics';
import { openDatabase } from '@platform/postgres';
import { openEventBus, postgresOutbox, startRelay } from '../src/index.ts';
import { borrowed, commit } from './library.ts';

/**
 * A service of its own, made to be killed: relays its outbox over the given NATS address and commits one event
 * for the given subject once it is connected.
 */
const [, , databaseUrl = '', natsUrl = '', subject = ''] = process.argv;
const logger = createLogger({ service: 'relay-process', level: 'silent' });
const database = openDatabase({ url: databaseUrl, applicationName: 'relay-process', logger });
const bus = openEventBus({ servers: natsUrl, name: 'relay-process', logger });
startRelay({ outbox: postgresOutbox(database), bus, logger, metrics: createMetrics() });
await bus.ready(new AbortController().signal);
const [id] = await commit(database, borrowed(subject));
process.stdout.write(`${id ?? ''}\n`);
