import { createLogger } from '@platform-backend/core/logger';
import { relayUntilKilled } from '@platform-backend/events/testing/relay-process';
import { appendToOutbox, openDatabase, postgresOutbox } from '../src/index.ts';

const [, , url = ''] = process.argv;
const logger = createLogger({ service: 'relay-process', level: 'silent' });
const database = openDatabase({ url, applicationName: 'relay-process', logger });
await relayUntilKilled({
  outbox: postgresOutbox(database),
  commit: (organisationId, events) => database.tenant(organisationId, (trx) => appendToOutbox(trx, events)),
});
