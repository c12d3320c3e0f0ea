import { mongo } from 'mongoose';
import type { PendingEvent } from '../src/events/event-collections.ts';
import { LAST_SEQUENCE, PENDING_EVENTS } from '../src/schemas.ts';

/** Where the events of libs/mongo and its notes about those that were handled are. */
const OUTBOX = 'outbox';

/** One document as it is stored, without what waits in it to be published. */
export interface StoredDocument {
  readonly collection: string;
  readonly id: string;
  readonly organisationId: string;
  readonly text: string;
}

/** An event that was recorded, wherever it waits. */
export interface RecordedEvent {
  readonly organisationId: string;
  readonly sequence: number;
  /** As it will be published. */
  readonly body: string;
  /** The document that it still is a part of; in the outbox it came by a transaction or the relay. */
  readonly heldBy?: { readonly collection: string; readonly id: string };
}

export interface DatabaseContent {
  readonly documents: readonly StoredDocument[];
  /** In the order of recording. */
  readonly events: readonly RecordedEvent[];
}

/** More than a small database holds in one collection: it is read in one answer. */
const BATCH_SIZE = 10_000;

const CONNECTIONS = 4;

/** A connection to look into a database again and again: a new one takes longer than a look. */
interface OpenedContent {
  /** All that the database holds, as its administrator sees it, or what of it fits a filter by `organisationId`; but for a collection. */
  readonly read: (filter?: { organisationId?: object }, except?: string) => Promise<DatabaseContent>;
  readonly close: () => Promise<void>;
}

export async function openDatabaseContent(url: string): Promise<OpenedContent> {
  // Nobody hears what is sent here.
  const client = await mongo.MongoClient.connect(url, { monitorCommands: false, maxPoolSize: CONNECTIONS });
  return { read: (filter = {}, except = '') => contentOf(client.db(), filter, except), close: () => client.close() };
}

/** All that a database holds now. */
async function databaseContent(url: string): Promise<DatabaseContent> {
  const opened = await openDatabaseContent(url);
  try {
    return await opened.read();
  } finally {
    await opened.close();
  }
}

async function contentOf(db: mongo.Db, filter: { organisationId?: object }, except: string): Promise<DatabaseContent> {
  const documents: StoredDocument[] = [];
  const events: RecordedEvent[] = [];
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const read = async ({ name: collection }: { readonly name: string }): Promise<void> => {
    for (const document of await db.collection(collection).find(filter, { batchSize: BATCH_SIZE }).toArray()) {
      if (collection === OUTBOX) {
        events.push(document as unknown as RecordedEvent);
        continue;
      }
      const { [PENDING_EVENTS]: pending = [], [LAST_SEQUENCE]: _last, ...rest } = document;
      const { _id, organisationId = '' } = rest as unknown as { _id: string; organisationId?: string };
      documents.push({ collection, id: _id, organisationId, text: JSON.stringify(rest) });
      const heldBy = { collection, id: _id };
      events.push(...(pending as PendingEvent[]).map((event) => ({ ...event, heldBy })));
    }
  };
  await Promise.all(collections.filter(({ name }) => name !== except).map(read));
  return { documents, events: events.toSorted((a, b) => a.sequence - b.sequence) };
}

interface PublishedEvent {
  readonly type: string;
  readonly organisationid: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events that a service has recorded, in their order. */
export async function recordedEvents(url: string): Promise<PublishedEvent[]> {
  const { events } = await databaseContent(url);
  return events.map(({ body }) => JSON.parse(body) as PublishedEvent);
}
