import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase as migrated } from '@platform-backend/service/testing';
import { service } from '../src/service.ts';

/** The tables of the service, for tests of what works on them without it. */
export async function migratedDatabase(): Promise<{
  readonly database: Database;
  readonly close: () => Promise<void>;
}> {
  const logger = createLogger({ service: 'billing', level: 'silent' });
  const postgres = await migrated(service);
  const database = openDatabase({ url: postgres.appUrl, applicationName: 'billing-test', logger });
  return {
    database,
    async close() {
      await database.close();
      await postgres.drop();
    },
  };
}
