import type { OrganisationRestore } from '@platform-backend/service';
import mongoose, { type mongo } from 'mongoose';
import { addToOutbox, type PendingEvent } from './events/event-collections.ts';
import { LAST_SEQUENCE, PENDING_EVENTS, VERSION } from './schemas.ts';
import { ORGANISATION } from './scoped-collection.ts';

const DOCUMENTS_AT_ONCE = 100;

type Stored = mongo.Document & { _id: string };

interface Restoring {
  readonly organisationId: string;
  readonly session: mongo.ClientSession;
}

/**
 * Puts what a database has of an organisation in the place of what another one has, document by document: what is there already is
 * replaced, what was not there goes at the end. Events of documents are told once: those of the backup are left out, those that still wait here
 * are told, and the next ones go on counting from where either database is. Answers how many documents each collection got.
 */
export async function restoreOrganisation(
  { from, to, organisationId }: OrganisationRestore,
  collections: readonly string[],
): Promise<Record<string, number>> {
  await using source = await connected(from);
  await using target = await connected(to);
  const restored: Record<string, number> = {};
  const counted = await Promise.all(
    collections.map((name) => source.database.collection(name).countDocuments({ [ORGANISATION]: organisationId })),
  );
  if (counted.every((documents) => documents === 0))
    throw new Error(`the database to restore from has nothing of ${organisationId}`);
  for (const name of collections) {
    const theirs = source.database.collection<Stored>(name).find({ [ORGANISATION]: organisationId });
    const ours = target.database.collection<Stored>(name);
    const kept = new Set<string>();
    for await (const documents of inBatches(theirs)) {
      await target.transaction((session) => replaceAll(target.database, name, documents, { organisationId, session }));
      for (const { _id: id } of documents) kept.add(JSON.stringify(id));
    }
    for await (const documents of inBatches(
      ours.find({ [ORGANISATION]: organisationId }, { projection: { _id: 1 } }),
    )) {
      const gone = documents.map(({ _id: id }) => id).filter((id) => !kept.has(JSON.stringify(id)));
      if (gone.length > 0)
        await target.transaction((session) => removeAll(target.database, name, gone, { organisationId, session }));
    }
    restored[name] = kept.size;
  }
  return restored;
}

async function replaceAll(
  database: mongo.Db,
  name: string,
  documents: readonly Stored[],
  { organisationId, session }: Restoring,
): Promise<void> {
  const ours = database.collection<Stored>(name);
  const ids = documents.map(({ _id: id }) => id);
  const projection = { [ORGANISATION]: 1, [LAST_SEQUENCE]: 1, [VERSION]: 1, [PENDING_EVENTS]: 1 };
  const there = new Map<string, Stored>();
  const present = await ours.find({ _id: { $in: ids } }, { projection, session }).toArray();
  for (const found of present) {
    if (found[ORGANISATION] !== organisationId)
      throw new Error(`${ours.collectionName} ${JSON.stringify(found._id)} is of another organisation here`);
    there.set(JSON.stringify(found._id), found);
  }
  await tellWaiting(database, present, session);
  await ours.bulkWrite(
    documents.map((document) => {
      const now = there.get(JSON.stringify(document._id));
      const { [PENDING_EVENTS]: _told, ...rest } = document;
      const replacement = {
        ...rest,
        ...laterOf(LAST_SEQUENCE, document, now, 0),
        // Whoever has read what is replaced now does not take the restored one for it.
        ...laterOf(VERSION, document, now, 1),
      };
      return { replaceOne: { filter: { _id: document._id }, replacement, upsert: true } };
    }),
    { session },
  );
}

async function removeAll(
  database: mongo.Db,
  name: string,
  ids: readonly string[],
  { organisationId, session }: Restoring,
): Promise<void> {
  const ours = database.collection<Stored>(name);
  const filter = { _id: { $in: ids }, [ORGANISATION]: organisationId };
  const present = await ours.find(filter, { projection: { [PENDING_EVENTS]: 1 }, session }).toArray();
  await tellWaiting(database, present, session);
  await ours.deleteMany(filter, { session });
}

/** What has happened here stays so, also where nobody has collected its event yet. */
const tellWaiting = (database: mongo.Db, present: readonly Stored[], session: mongo.ClientSession): Promise<void> => {
  const waiting = present.flatMap(({ [PENDING_EVENTS]: events = [] }) => events as readonly PendingEvent[]);
  return addToOutbox(database, waiting, session);
};

function laterOf(field: string, ours: Stored, theirs: Stored | undefined, more: number): Record<string, number> {
  const known = [ours[field], theirs?.[field]].filter((value): value is number => typeof value === 'number');
  return known.length === 0 ? {} : { [field]: Math.max(...known) + more };
}

async function* inBatches(cursor: mongo.FindCursor<Stored>): AsyncGenerator<Stored[]> {
  let batch: Stored[] = [];
  for await (const document of cursor) {
    batch.push(document);
    if (batch.length < DOCUMENTS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function connected(url: string) {
  const client = new mongoose.mongo.MongoClient(url, { promoteLongs: false, ignoreUndefined: false });
  await client.connect();
  /** Whoever changes one of the documents at the same time has it run again. */
  const transaction = (work: (session: mongo.ClientSession) => Promise<void>): Promise<void> =>
    client.withSession((session) => session.withTransaction(() => work(session)));
  return Object.assign({ database: client.db(), transaction }, { [Symbol.asyncDispose]: () => client.close() });
}
