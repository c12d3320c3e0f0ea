import { createLogger } from '@platform-backend/core/logger';
import type { Event } from '@platform-backend/events';
import type { EventStorage, StoreUnderTest } from '@platform-backend/events/testing';
import mongoose, { type mongo } from 'mongoose';
import {
  documentStore,
  mongoInbox,
  mongoOutbox,
  openDatabase,
  withEvents,
  type Database,
  type DocumentStore,
} from '../src/index.ts';
import { throwawayMongo } from './throwaway-mongo.ts';

export interface Shelf {
  readonly id: string;
  readonly createdAt: Date;
  readonly name: string;
  readonly books: readonly string[];
  readonly note?: string;
}

export const quiet = createLogger({ service: 'test', level: 'silent' });

/** The collections of a service of these tests: things with events, and plain documents. */
export const collections = {
  shelves: withEvents(
    new mongoose.Schema({
      _id: String,
      createdAt: { type: Date, required: true },
      name: { type: String, required: true },
      books: [String],
      note: String,
    })
      .index({ organisationId: 1, createdAt: -1, _id: -1 })
      .index({ organisationId: 1, name: 1 }, { unique: true, name: 'shelves_name' }),
  ),
  effects: new mongoose.Schema({ eventId: { type: String, required: true } }).index({ organisationId: 1 }),
};

export const openLibraryDatabase = (url: string, options: Partial<Parameters<typeof openDatabase>[0]> = {}) =>
  openDatabase({ url, applicationName: 'library', logger: quiet, collections, ...options });

export const by = (organisationId: string) =>
  ({
    organisationId,
    actor: { type: 'service', id: 'library', name: 'library', userId: null, level: null },
    requestId: 'request',
  }) as const;

/** A store whose domain events hold the whole event that is published. */
export const shelfStore = (database: Database): DocumentStore<Shelf> =>
  documentStore<Shelf>({
    database,
    name: 'shelves',
    outgoing: (_by, events) => events.map(({ data }) => data['event'] as Event),
  });

/** One document per subject. */
export const commitTo =
  (database: Database) =>
  async (organisationId: string, events: readonly Event[], failure?: Error): Promise<void> => {
    const shelves = shelfStore(database);
    const commitAll = async (): Promise<void> => {
      for (const event of events) {
        const id = `${organisationId} ${event.subject}`;
        await shelves.update(by(organisationId), id, (shelf) => ({
          state: { ...(shelf ?? { id, name: event.subject, createdAt: event.time, books: [] }), note: event.id ?? '' },
          events: [{ name: 'book.borrowed', subject: event.subject, at: event.time, data: { event } }],
          result: undefined,
        }));
      }
      if (failure) throw failure;
    };
    // The change of one document needs no transaction.
    await (events.length === 1 && !failure ? commitAll() : database.transaction(organisationId, commitAll));
  };

export interface MongoStore extends StoreUnderTest<mongo.ClientSession> {
  readonly database: Database;
  readonly url: string;
}

export async function openStore(): Promise<MongoStore> {
  const server = await throwawayMongo();
  const database = await openLibraryDatabase(server.url);
  await database.createIndexes();
  const effects = database.model<{ eventId: string }>('effects');
  return {
    url: server.url,
    database,
    outbox: mongoOutbox(database),
    inbox: mongoInbox(database),
    commit: commitTo(database),
    recordEffect: async (_session, { id }) => {
      await effects.create({ eventId: id });
    },
    effects: (organisationId) =>
      database.tenant(organisationId, async () =>
        (await effects.find().sort({ _id: 1 }).lean()).map(({ eventId }) => eventId),
      ),
    relayProcess: { script: new URL('./relay-process.ts', import.meta.url), arguments: [server.url] },
    async close() {
      await database.close();
      await server.drop();
    },
  };
}

export const mongoStorage: EventStorage<mongo.ClientSession> = { name: 'MongoDB', open: openStore };
