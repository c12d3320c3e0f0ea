import { quiet, type EventStorage, type StoreUnderTest } from '@platform-backend/events/testing';
import { preparedPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import {
  appendToOutbox,
  migrate,
  openDatabase,
  postgresInbox,
  postgresOutbox,
  type Database,
  type Knex,
} from '../src/index.ts';

export const eventMigrations = new URL('./event-migrations/', import.meta.url);

export interface PostgresStore extends StoreUnderTest<Knex.Transaction> {
  readonly postgres: ThrowawayPostgres;
  readonly database: Database;
}

/** A service's database with its event tables, and one table for effects. */
export async function openStore(): Promise<PostgresStore> {
  const postgres = await preparedPostgres('events', ({ ownerUrl: url, appRole }) =>
    migrate({ url, directory: eventMigrations, appRole, logger: quiet }),
  );
  const database = openDatabase({ url: postgres.appUrl, applicationName: 'library', logger: quiet });
  return {
    postgres,
    database,
    outbox: postgresOutbox(database),
    inbox: postgresInbox(database),
    commit: (organisationId, events, failure) =>
      database.tenant(organisationId, async (trx) => {
        await appendToOutbox(trx, events);
        if (failure) throw failure;
      }),
    recordEffect: async (trx, { id, organisationId }) => {
      await trx('effects').insert({ organisation_id: organisationId, event_id: id });
    },
    effects: (organisationId) =>
      database.tenant(organisationId, (trx) => trx('effects').orderBy('number').pluck<string[]>('event_id')),
    relayProcess: { script: new URL('./relay-process.ts', import.meta.url), arguments: [postgres.appUrl] },
    async close() {
      await database.close();
      await postgres.drop();
    },
  };
}

export const postgresStorage: EventStorage<Knex.Transaction> = { name: 'PostgreSQL', open: openStore };
