import type { OrganisationRestore } from '@platform-backend/service';
import mongoose, { type mongo } from 'mongoose';
import { addToOutbox, type PendingEvent } from './events/event-collections.ts';
import { isDuplicate } from './failures.ts';
import { LAST_SEQUENCE, PENDING_EVENTS, VERSION } from './schemas.ts';
import { ORGANISATION } from './scoped-collection.ts';

const DOCUMENTS_AT_ONCE = 100;
/** Documents have up to 16 MiB. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;

interface Stored extends mongo.Document {
  readonly _id: string;
  readonly [PENDING_EVENTS]?: readonly PendingEvent[];
}

/**
 * Puts what a database has of an organisation in the place of what another one has, document by document: what was not there then goes
 * first, since it may have the names of what was, and what is there is replaced. Events of documents are told once: those of the backup are
 * left out, those that still wait here go on, and the next ones go on counting from where either database is. Done again after it broke off,
 * it ends as if it had not. Answers how many documents each collection got.
 */
export async function restoreOrganisation(
  { from, to, organisationId, kept: untouched = [] }: OrganisationRestore,
  collections: readonly string[],
): Promise<Record<string, number>> {
  await using source = await connected(from);
  await using target = await connected(to);
  const found = await target.database.listCollections({}, { nameOnly: false }).toArray();
  const validated = new Set(found.flatMap(({ name, options }) => (options?.['validator'] ? [name] : [])));
  const of = (name: string): Sides => ({
    // What was there may be from before documents had to be as they are now.
    unchecked: validated.has(name) ? { bypassDocumentValidation: true } : {},
    theirs: source.database.collection<Stored>(name),
    ours: target.database.collection<Stored>(name),
    target,
    organisationId,
  });
  const ids = new Map<string, ReadonlySet<string>>();
  for (const name of collections) if (!untouched.includes(name)) ids.set(name, await idsToRestore(of(name)));
  if ([...ids.values()].every(({ size }) => size === 0))
    throw new Error(`the database to restore from has nothing of ${organisationId}`);
  const restored: Record<string, number> = {};
  for (const [name, kept] of ids) {
    const sides = of(name);
    await removeOthers(sides, kept);
    const taken: string[] = [];
    for await (const documents of inBatches(sides.theirs.find({ [ORGANISATION]: organisationId })))
      if (!(await replaceAll(sides, documents))) taken.push(...documents.map(({ _id: id }) => id));
    if (taken.length > 0) await exchange(sides, taken);
    restored[name] = kept.size;
  }
  return restored;
}

interface Sides extends Pick<OrganisationRestore, 'organisationId'> {
  readonly unchecked: { readonly bypassDocumentValidation?: true };
  readonly theirs: mongo.Collection<Stored>;
  readonly ours: mongo.Collection<Stored>;
  readonly target: Target;
}

/** @throws Error when one of them is of another organisation here. */
async function idsToRestore({ theirs, ours, organisationId }: Sides): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  const found = theirs.find({ [ORGANISATION]: organisationId }, { projection: { _id: 1 } });
  for await (const documents of inBatches(found)) {
    const ids = documents.map(({ _id: id }) => id);
    const foreign = await ours.findOne({ _id: { $in: ids }, [ORGANISATION]: { $ne: organisationId } });
    if (foreign)
      throw new Error(`${ours.collectionName} ${JSON.stringify(foreign._id)} is of another organisation here`);
    for (const id of ids) kept.add(JSON.stringify(id));
  }
  return kept;
}

async function removeOthers({ ours, target, organisationId }: Sides, kept: ReadonlySet<string>): Promise<void> {
  const there = ours.find({ [ORGANISATION]: organisationId }, { projection: { _id: 1 } });
  for await (const documents of inBatches(there)) {
    const gone = documents.map(({ _id: id }) => id).filter((id) => !kept.has(JSON.stringify(id)));
    if (gone.length === 0) continue;
    const those = { _id: { $in: gone }, [ORGANISATION]: organisationId };
    await target.transaction(async (session) => {
      const present = await ours.find(those, { projection: { [PENDING_EVENTS]: 1 }, session }).toArray();
      await addToOutbox(target.database, waitingIn(present), session);
      await ours.deleteMany(those, { session });
    });
  }
}

/** False, and nothing is done: another one that is yet to be replaced has the name of one of them. */
async function replaceAll(sides: Sides, documents: readonly Stored[]): Promise<boolean> {
  try {
    await sides.target.transaction(async (session) => {
      await sides.ours.bulkWrite(await replacementsFor(sides, documents, session), { session, ...sides.unchecked });
    });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Those that have each other's names make way before they are there again. */
async function exchange(sides: Sides, ids: readonly string[]): Promise<void> {
  const those = { _id: { $in: ids }, [ORGANISATION]: sides.organisationId };
  const documents = await sides.theirs.find(those).toArray();
  await sides.target.transaction(async (session) => {
    const replacements = await replacementsFor(sides, documents, session);
    await sides.ours.deleteMany(those, { session });
    await sides.ours.bulkWrite(replacements, { session, ...sides.unchecked });
  });
}

/** What waits in those that are replaced is in the outbox then: what has happened here stays so. */
async function replacementsFor(
  { ours, target, organisationId }: Sides,
  documents: readonly Stored[],
  session: mongo.ClientSession,
): Promise<mongo.AnyBulkWriteOperation<Stored>[]> {
  const projection = { [LAST_SEQUENCE]: 1, [VERSION]: 1, [PENDING_EVENTS]: 1 };
  const those = { _id: { $in: documents.map(({ _id: id }) => id) }, [ORGANISATION]: organisationId };
  const found = await ours.find(those, { projection, session }).toArray();
  await addToOutbox(target.database, waitingIn(found), session);
  const there = new Map(found.map((document) => [JSON.stringify(document._id), document]));
  return documents.map((document) => {
    const now = there.get(JSON.stringify(document._id));
    const { [PENDING_EVENTS]: _told, ...rest } = document;
    const replacement = {
      ...rest,
      ...laterOf(LAST_SEQUENCE, document, now, 0),
      // Whoever has read what is replaced now does not take the restored one for it.
      ...laterOf(VERSION, document, now, 1),
    };
    // With what a sharded collection is divided by.
    const filter = { _id: document._id, [ORGANISATION]: organisationId };
    return { replaceOne: { filter, replacement, upsert: true } };
  });
}

const waitingIn = (documents: readonly Stored[]): PendingEvent[] =>
  documents.flatMap((document) => document[PENDING_EVENTS] ?? []);

function laterOf(field: string, ours: Stored, theirs: Stored | undefined, more: number): Record<string, number> {
  const known = [ours[field], theirs?.[field]].filter((value): value is number => typeof value === 'number');
  return known.length === 0 ? {} : { [field]: Math.max(...known) + more };
}

async function* inBatches(cursor: mongo.FindCursor<Stored>): AsyncGenerator<Stored[]> {
  let [batch, bytes]: [Stored[], number] = [[], 0];
  for await (const document of cursor) {
    batch.push(document);
    bytes += mongoose.mongo.BSON.calculateObjectSize(document);
    if (batch.length < DOCUMENTS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield batch;
    [batch, bytes] = [[], 0];
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

type Target = Pick<Awaited<ReturnType<typeof connected>>, 'database' | 'transaction'>;
