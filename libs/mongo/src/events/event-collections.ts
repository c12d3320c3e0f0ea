import { newId } from '@platform-backend/core';
import { encodeEvent, type Event } from '@platform-backend/events';
import type { mongo } from 'mongoose';
import type { DeclaredIndex } from '../indexes.ts';
import { PENDING_EVENTS } from '../schemas.ts';

/** An event as it waits in the document that changed, and later in the outbox. */
export interface PendingEvent {
  readonly id: string;
  readonly sequence: number;
  readonly organisationId: string;
  readonly type: string;
  readonly subject: string;
  readonly requestId?: string;
  /** Its CloudEvents JSON exactly as it will be published. */
  readonly body: string;
  /** Of the body. */
  readonly bytes: number;
}

export interface OutboxDocument extends Omit<PendingEvent, 'id'> {
  /** The event's id. */
  readonly _id: string;
  readonly state: 'waiting' | 'published' | 'set_aside';
  readonly publishedAt?: Date;
  /** The batch of a relay that is at work on it, until the time when it is taken for dead. */
  readonly takenBy?: string;
  readonly takenUntil?: Date;
  readonly reason?: string;
  readonly setAsideAt?: Date;
}

export interface InboxDocument {
  /** Consumer and event. */
  readonly _id: string;
  readonly organisationId: string;
  readonly handledAt: Date;
}

export const outboxOf = (db: mongo.Db): mongo.Collection<OutboxDocument> => db.collection<OutboxDocument>('outbox');
export const inboxOf = (db: mongo.Db): mongo.Collection<InboxDocument> => db.collection<InboxDocument>('inbox');

export const eventIndexes: readonly DeclaredIndex[] = [
  { collection: 'outbox', key: { state: 1, sequence: 1, _id: 1 }, options: { name: 'outbox_state_sequence_id' } },
  { collection: 'outbox', key: { state: 1, subject: 1, sequence: 1 }, options: { name: 'outbox_state_subject' } },
  { collection: 'outbox', key: { takenBy: 1 }, options: { name: 'outbox_takenBy', sparse: true } },
  { collection: 'outbox', key: { sequence: 1, _id: 1 }, options: { name: 'outbox_sequence_id' } },
  { collection: 'inbox', key: { handledAt: 1 }, options: { name: 'inbox_handledAt' } },
];

/** So many events in a millisecond have numbers of their own, and the numbers stay exact for 250 years. */
const PER_MILLISECOND = 1_024;

export const sequenceAt = (time: Date | number): number => Number(time) * PER_MILLISECOND;
export const timeOfSequence = (sequence: number): Date => new Date(Math.floor(sequence / PER_MILLISECOND));

let lastSequence = 0;

/**
 * A number that says when an event was added and grows with each: within this process, and after the last one of the
 * same document whatever the clock of the process that added it says. So the events of a document have its order.
 */
export function nextSequence(after = 0): number {
  lastSequence = Math.max(sequenceAt(Date.now()), lastSequence + 1, after + 1);
  return lastSequence;
}

/** Throws on an event that is too large or of another organisation: the change then does not happen. */
export function pendingEvents(events: readonly Event[], organisationId: string, after = 0): PendingEvent[] {
  return events.map((event) => {
    if (event.organisationId !== organisationId) throw new Error('an event of another organisation than its change');
    const { id = newId(), type, subject, requestId } = event;
    const body = encodeEvent({ ...event, id });
    const bytes = Buffer.byteLength(body);
    const known = { id, sequence: nextSequence(after), organisationId, type, subject, body, bytes };
    return requestId === undefined ? known : { ...known, requestId };
  });
}

/** Adds events to the outbox, those that are there already excepted, in their order. */
export async function addToOutbox(
  db: mongo.Db,
  events: readonly PendingEvent[],
  session?: mongo.ClientSession,
): Promise<void> {
  if (events.length === 0) return;
  const writes = events.map(({ id, ...event }) => ({
    updateOne: { filter: { _id: id }, update: { $setOnInsert: { ...event, state: 'waiting' as const } }, upsert: true },
  }));
  await outboxOf(db).bulkWrite(writes, { ordered: true, ...(session && { session }) });
}

interface DocumentWithEvents {
  readonly _id: string;
  readonly [PENDING_EVENTS]: readonly PendingEvent[];
}

/** Moves these events of documents to the outbox. Dying in between, or two at once, does no harm: ids are ids. */
async function collectFrom(db: mongo.Db, name: string, documents: readonly DocumentWithEvents[]): Promise<void> {
  if (documents.length === 0) return;
  await addToOutbox(
    db,
    documents.flatMap((document) => document[PENDING_EVENTS]),
  );
  await db.collection<DocumentWithEvents>(name).bulkWrite(
    documents.flatMap(({ _id, [PENDING_EVENTS]: events }) => {
      const ids = events.map(({ id }) => id);
      return [
        { updateOne: { filter: { _id }, update: { $pull: { [PENDING_EVENTS]: { id: { $in: ids } } } } } },
        {
          updateOne: { filter: { _id, [PENDING_EVENTS]: { $size: 0 } }, update: { $unset: { [PENDING_EVENTS]: '' } } },
        },
      ];
    }),
  );
}

/** Documents, and about as many bytes of events, that are read at once. */
const COLLECT_DOCUMENTS = 200;
const COLLECT_BYTES = 4 * 1024 * 1024;

/** Moves what waits in documents to the outbox, the oldest first, a part at a time; answers whether there may be more. */
export async function collectSome(db: mongo.Db, name: string, filter: object = {}): Promise<boolean> {
  const oldest = `${PENDING_EVENTS}.sequence`;
  const waiting = db
    .collection<DocumentWithEvents>(name)
    .find({ ...filter, [oldest]: { $exists: true } })
    .project<DocumentWithEvents>({ [PENDING_EVENTS]: 1 })
    .sort({ [oldest]: 1 })
    .limit(COLLECT_DOCUMENTS)
    .batchSize(20);
  const documents: DocumentWithEvents[] = [];
  let bytes = 0;
  for await (const document of waiting) {
    documents.push(document);
    bytes += document[PENDING_EVENTS].reduce((sum, event) => sum + event.bytes, 0);
    if (bytes >= COLLECT_BYTES) break;
  }
  await collectFrom(db, name, documents);
  return documents.length === COLLECT_DOCUMENTS || bytes >= COLLECT_BYTES;
}
