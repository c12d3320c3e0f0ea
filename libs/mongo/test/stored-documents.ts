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

/** All that a database holds, as its administrator sees it, or what of it fits a filter by `organisationId`. */
export async function databaseContent(url: string, filter: { organisationId?: object } = {}): Promise<DatabaseContent> {
  await using client = await mongo.MongoClient.connect(url);
  const db = client.db();
  const documents: StoredDocument[] = [];
  const events: RecordedEvent[] = [];
  for (const { name: collection } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    for await (const document of db.collection(collection).find(filter, { batchSize: BATCH_SIZE })) {
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
  }
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
