import {
  busy,
  changeToNote,
  pendingPrecondition,
  type ActorContext,
  type Decision,
  type DomainEvent,
  type Page,
  type PageRequest,
} from '@platform-backend/core';
import type { Event } from '@platform-backend/events';
import type { Model, mongo, Schema } from 'mongoose';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from './database.ts';
import { addToOutbox, collectSome, pendingEvents, type PendingEvent } from './events/event-collections.ts';
import { isDuplicate } from './failures.ts';
import { pageOf, type Filter, type Listing } from './keyset.ts';
import type { StateOf } from './records.ts';
import { LIBRARY_FIELDS, PENDING_EVENTS } from './schemas.ts';
import { presentScope } from './scope.ts';
import { ORGANISATION } from './scoped-collection.ts';

/** A thing that is one document: its fields as the schema has them, `_id` as `id`. */
export interface Identified {
  readonly id: string;
}

export interface DocumentStoreOptions {
  readonly database: Database;
  /** The collection, whose schema is made `withEvents`. */
  readonly name: string;
  /** Turns what a decision says has happened into what is published. */
  readonly outgoing: (by: ActorContext, events: readonly DomainEvent[]) => readonly Event[];
}

export interface DocumentStore<State extends Identified> {
  /** Undefined where there is none, in this organisation. */
  readonly find: (organisationId: string, id: string) => Promise<State | undefined>;
  /** One page of those that match, see `pageOf`. */
  readonly page: (
    organisationId: string,
    request: PageRequest,
    listing: Omit<Listing<never, never>, 'read'>,
  ) => Promise<Page<State>>;
  /**
   * Loads the thing, decides, and saves the outcome with its events. Nothing is saved where the state is the
   * same object and nothing has happened. When somebody else was faster it is loaded and decided anew, until after a
   * second or two the caller hears `unavailable` with the code `busy`. A thing comes to be where there was no state, and
   * is removed where there is none afterwards; its events stay.
   */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (state: State | undefined) => Decision<State | undefined, DomainEvent, Result>,
  ) => Promise<Result>;
  /**
   * Removes all that match, without events of their own, and says how many; when it was cut short it may simply be called
   * again. What they had to tell is still told.
   */
  readonly removeAll: (organisationId: string, filter: Filter) => Promise<number>;
}

const ATTEMPTS = 24;

/** Every change writes the whole document, and one may have 16 MiB: no more events than this stay in it while NATS is away. */
const PENDING_BYTES = 64 * 1024;

interface StoredDocument {
  readonly _id: string;
  readonly organisationId: string;
  readonly version: number;
  readonly lastSequence?: number;
  readonly pendingEvents?: readonly PendingEvent[];
  readonly [field: string]: unknown;
}

interface Outcome {
  readonly organisationId: string;
  readonly events: readonly Event[];
}

/** Loosely typed, since the fields of the service are not known here. */
interface Stored {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** `Of` is the type of the collection's schema: it says what a state may be. */
export function documentStore<State extends Identified & StateOf<Of>, Of extends Schema = never>({
  database,
  name,
  outgoing,
}: DocumentStoreOptions): DocumentStore<State> {
  if (!database.eventSources.has(name)) throw new Error(`the schema of ${name} is not made withEvents`);
  const model: Model<StoredDocument> = database.model(name);
  const guarded = model.collection as unknown as mongo.Collection<Stored>;

  const stateOf = ({
    _id,
    organisationId: _organisation,
    version: _version,
    lastSequence: _sequence,
    pendingEvents: _events,
    ...fields
  }: StoredDocument): State => ({ id: _id, ...fields }) as unknown as State;

  const load = async (id: string): Promise<StoredDocument | null> =>
    (await guarded.findOne({ _id: id })) as StoredDocument | null;

  /** As the schema wants it: cast, complete, and nothing that it does not know. */
  const fieldsOf = async (organisationId: string, { id, ...fields }: State): Promise<Stored> => {
    const document = new model({ ...fields, _id: id, [ORGANISATION]: organisationId });
    await document.validate();
    return document.toObject({ minimize: false });
  };

  /** False when somebody else was faster. */
  async function create(fields: Stored, events: readonly PendingEvent[]): Promise<boolean> {
    const session = presentScope()?.session;
    const inside = !session && events.length > 0 && { [PENDING_EVENTS]: events };
    try {
      await guarded.insertOne({ ...fields, version: 1, ...lastOf(events), ...inside });
      if (session) await addToOutbox(database.unguarded, events, session);
      return true;
    } catch (error) {
      // It ends a transaction, which is then run again as a whole.
      if (session || !isDuplicate(error, '_id_')) throw error;
      return false;
    }
  }

  async function update(
    { _id, version, pendingEvents: pending = [], ...found }: StoredDocument,
    fields: Stored,
    events: readonly PendingEvent[],
  ): Promise<boolean> {
    const session = presentScope()?.session;
    const changed = Object.entries(fields).filter(([key, value]) => !isDeepStrictEqual(found[key], value));
    const gone = Object.keys(found).filter((key) => !(key in fields) && !LIBRARY_FIELDS.includes(key));
    if (session) gone.push(PENDING_EVENTS);
    const changes: mongo.Document = {
      $set: { ...Object.fromEntries(changed), ...lastOf(events), version: version + 1 },
      ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((key) => [key, ''])) }),
      ...(!session && events.length > 0 && { $push: { [PENDING_EVENTS]: { $each: events } } }),
    };
    const { matchedCount } = await guarded.updateOne({ _id, version }, changes);
    if (session && matchedCount === 1) await addToOutbox(database.unguarded, [...pending, ...events], session);
    return matchedCount === 1;
  }

  async function remove(
    { _id, version, organisationId }: StoredDocument,
    events: readonly PendingEvent[],
    session: mongo.ClientSession,
  ): Promise<boolean> {
    const documents = database.unguarded.collection<StoredDocument>(name);
    const removed = await documents.findOneAndDelete({ _id, version, organisationId }, { session });
    if (removed) await addToOutbox(database.unguarded, [...(removed.pendingEvents ?? []), ...events], session);
    return removed !== null;
  }

  /**
   * Events go into the document, so that one write does it all. In a transaction they go to the outbox, with those that
   * still are in the document; so when the document is removed or holds many, that is made a transaction. So it is when
   * a keyed call has to note that this was its first change.
   */
  async function save(found: StoredDocument | null, state: State | undefined, outcome: Outcome): Promise<boolean> {
    const { organisationId, events } = outcome;
    const session = presentScope()?.session;
    const isLarge = bytesOf(found?.pendingEvents ?? []) > PENDING_BYTES;
    if (!session && ((found && (!state || isLarge)) || (state && changeToNote())))
      return database.transaction(organisationId, () => save(found, state, outcome));
    const pending = pendingEvents(events, organisationId, found?.lastSequence);
    if (state) {
      const fields = await fieldsOf(organisationId, state);
      return found ? update(found, fields, pending) : create(fields, pending);
    }
    if (found && session) return remove(found, pending, session);
    if (events.length > 0) throw new Error(`events of ${name} that are about nothing`);
    return true;
  }

  return {
    find: (organisationId, id) =>
      database.tenant(organisationId, async () => {
        const found = await load(id);
        return found ? stateOf(found) : undefined;
      }),

    page: (organisationId, request, listing) =>
      database.tenant(organisationId, () =>
        pageOf(model as unknown as Model<StoredDocument & { createdAt: Date }>, request, {
          ...listing,
          read: (documents) => documents.map(stateOf),
        }),
      ),

    update: (by, id, decide) =>
      database.tenant(by.organisationId, async () => {
        for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
          const found = await load(id);
          const before = found ? stateOf(found) : undefined;
          // A transaction has judged it at its beginning. Else what was judged is what is saved over, or that is of no avail.
          const precondition = presentScope()?.session ? undefined : pendingPrecondition();
          await precondition?.judge();
          const { state, events, result } = decide(before);
          if (state === before && events.length === 0) return result;
          if (state && state.id !== id) throw new Error(`a decision on ${name} ${id} has the state of ${state.id}`);
          const outcome: Outcome = { organisationId: by.organisationId, events: outgoing(by, events) };
          if (await save(found, state, outcome)) {
            const scope = presentScope();
            if (scope && events.length > 0) scope.hasEvents = true;
            precondition?.settle();
            return result;
          }
          await delay(Math.random() * 8 * attempt);
        }
        throw busy();
      }),

    removeAll: (organisationId, filter) =>
      database.tenant(organisationId, async () => {
        if (presentScope()?.session)
          throw new Error('many documents are removed one part after the other, in no transaction');
        const own = { $and: [filter, { organisationId }] } as mongo.Filter<StoredDocument>;
        const documents = database.unguarded.collection<StoredDocument>(name);
        let removed = 0;
        do {
          while (await collectSome(database.unguarded, name, own));
          const { deletedCount } = await documents.deleteMany({ ...own, pendingEvents: { $exists: false } });
          removed += deletedCount;
        } while (await documents.findOne(own, { projection: { _id: 1 } }));
        return removed;
      }),
  };
}

const lastOf = (events: readonly PendingEvent[]) => {
  const last = events.at(-1);
  return last && { lastSequence: last.sequence };
};

const bytesOf = (events: readonly PendingEvent[]): number => events.reduce((sum, { bytes }) => sum + bytes, 0);
