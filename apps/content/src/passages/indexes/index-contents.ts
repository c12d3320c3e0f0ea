import type { Clock } from '@platform-backend/core';
import type { ChangePosition, PassageStore, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { SourceKind } from '../domain/passage.ts';
import { PARTS, type Part } from './index-parts.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { indexedSource } from './indexed-source.ts';
import type { PassageBudgets } from './organisation-index.ts';

/** The thread that has the indexes, in which organisations take turns. */
export interface IndexAccess {
  /** Another one where the thread has died: what it had is gone. */
  readonly generation: () => number;
  readonly ask: (organisationId: string, request: IndexRequest) => Promise<IndexReply>;
}

/** An index in a thread, with what is known of what it has. */
export interface OpenedIndex {
  readonly organisationId: string;
  readonly part: Part;
  readonly key: string;
  /** Of its vectors. The indexes of an organisation have the same. */
  readonly model: string;
  /** Of the thread that has it. */
  readonly thread: number;
  /** The version of each source that the index has, by kind and id. */
  readonly versions: Map<string, string>;
  /** Kinds of which something was left out, with how many passages there were after that. */
  readonly leftOut: Map<SourceKind, number>;
  /** Kinds of which what was left out is being read in, newest first, from behind this one. */
  readonly refilled: Map<SourceKind, StoredSource | undefined>;
  /** All changes before it are known. */
  position: Date;
  bytes: number;
  passages: IndexReply['passages'];
}

/** How many passages are read and handed to the thread at a time. */
const BATCH = 500;
const ROWS = 1_000;

/**
 * Changes are looked at again for so long: their time is that of the replica that wrote them, before they were written. Replicas'
 * clocks have to agree to within half of it.
 */
const OVERLAP_MS = 15_000;

/** Once so much of its budget is free again, a kind of which something was left out is looked through for that. */
const ROOM = 0.05;

/** How many passages that were left out are read in again before others have their turn. */
const REFILLED = 2_000;

/** The version of a source of which nobody knows what the index has. */
const UNKNOWN = '';

const noPassages: IndexReply['passages'] = { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 };

export interface ContentsOptions {
  readonly passageStore: PassageStore;
  readonly clock: Clock;
  readonly budgets: PassageBudgets;
}

/** Has an index hold what the store has. */
export function indexContents({ passageStore, clock, budgets }: ContentsOptions, thread: IndexAccess) {
  const ask = async (index: OpenedIndex, request: IndexRequest): Promise<IndexReply> => {
    const reply = await thread.ask(index.organisationId, request);
    index.bytes = reply.bytes;
    index.passages = reply.passages;
    for (const source of reply.leftOut) {
      index.versions.delete(keyOf(source));
      index.leftOut.set(source.kind, reply.passages[source.kind]);
    }
    return reply;
  };

  const put = async (index: OpenedIndex, sources: readonly StoredSource[]): Promise<IndexReply> => {
    const { organisationId, key, model } = index;
    const generations = sources.map(({ generation }) => generation);
    const bySet = Map.groupBy(await passageStore.passages(organisationId, generations), ({ generation }) => generation);
    const read = sources.map((source) => ({
      source: indexedSource(source),
      passages: (bySet.get(source.generation) ?? []).map((passage) => {
        const vector = hasVectors(source, model) ? vectorIn(passage, model) : undefined;
        const { ordinal, text, heading } = passage;
        return { ordinal, text, heading, ...(vector && { vector }) };
      }),
    }));
    for (const source of sources) index.versions.set(keyOf(source), versionOf(source, model));
    try {
      return await ask(index, { do: 'put', key, sources: read });
    } catch (error) {
      // Nobody knows what the index has of them: they are read in again, and dropped when they are gone.
      for (const source of sources) index.versions.set(keyOf(source), UNKNOWN);
      throw error;
    }
  };

  const build = async (organisationId: string, part: Part, model: string): Promise<OpenedIndex> => {
    const position = new Date(clock.now().getTime() - OVERLAP_MS);
    const key = `${organisationId}/${part}/${model}`;
    await thread.ask(organisationId, { do: 'open', key, budgets });
    const index: OpenedIndex = {
      ...{ organisationId, part, key, model, position },
      thread: thread.generation(),
      versions: new Map(),
      leftOut: new Map(),
      refilled: new Map(),
      bytes: 0,
      passages: noPassages,
    };
    for (const kind of PARTS[part]) {
      let before: StoredSource | undefined;
      do {
        const rows: readonly StoredSource[] = await passageStore.newest(organisationId, kind, ROWS, before);
        for (const batch of batchesOf(rows)) if (!index.leftOut.has(kind)) await put(index, batch);
        before = rows.length === ROWS ? rows.at(-1) : undefined;
      } while (before && !index.leftOut.has(kind));
    }
    return index;
  };

  const catchUp = async (index: OpenedIndex): Promise<void> => {
    const { organisationId, part, key, model } = index;
    const position = new Date(clock.now().getTime() - OVERLAP_MS);
    let behind: ChangePosition | undefined;
    do {
      const changes = await passageStore.changes(organisationId, PARTS[part], index.position, ROWS, behind);
      const present = changes.flatMap(({ present: source }) => (source ? [source] : []));
      const changed = present.filter((source) => !isCurrent(index.versions.get(keyOf(source)), source, model));
      for (const batch of batchesOf(changed)) await put(index, batch);
      const gone = changes.filter((change) => !change.present && index.versions.has(keyOf(change)));
      if (gone.length > 0) await ask(index, { do: 'drop', key, sources: gone });
      for (const change of gone) index.versions.delete(keyOf(change));
      behind = changes.length === ROWS ? changes.at(-1)?.position : undefined;
    } while (behind);
    index.position = position;
  };

  /** Reads in some of what was left out before there was room for it. True: there is more. */
  const refill = async (index: OpenedIndex): Promise<boolean> => {
    for (const [kind, passages] of index.leftOut)
      if (index.passages[kind] <= passages - Math.max(1, ROOM * budgets[kind]) && !index.refilled.has(kind))
        index.refilled.set(kind, undefined);
    const [[kind, before] = []] = index.refilled;
    if (kind === undefined) return false;
    index.leftOut.delete(kind);
    const rows = await passageStore.newest(index.organisationId, kind, ROWS, before);
    let [read, last] = [0, before];
    for (const batch of batchesOf(rows)) {
      const missing = batch.filter((source) => !index.versions.has(keyOf(source)));
      if (missing.length > 0) await put(index, missing);
      read += missing.reduce((sum, source) => sum + source.passages, 0);
      last = batch.at(-1);
      if (read >= REFILLED || index.leftOut.has(kind)) break;
    }
    // Of a page with nothing on it everything has been read.
    const isWhole = rows.length < ROWS && last === (rows.at(-1) ?? before);
    if (isWhole || index.leftOut.has(kind)) index.refilled.delete(kind);
    else index.refilled.set(kind, last);
    return index.refilled.size > 0;
  };

  return { build, catchUp, refill };
}

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind}:${id}`;

/** Whether all vectors of a source are of this model, whether they answer already or stand beside those that do. */
const hasVectors = (source: StoredSource, model: string): boolean =>
  source.model === model || source.nextModel === model || source.formerNameModel === model;

const vectorIn = ({ model: own, vector, next }: StoredPassage, model: string): Float32Array | undefined =>
  own === model ? vector : next?.model === model ? next.vector : undefined;

/** What an index has of a source is another thing when any of it is: words of titles and what filters look at, too. */
const versionOf = (source: StoredSource, model: string): string => {
  const { generation, title, collection, mediaType, labels, memberIds, readers, formerNameModel } = source;
  return `${hasVectors(source, model) ? WITH_VECTORS : ''}${JSON.stringify([generation, title, collection, mediaType, memberIds, readers, labels, formerNameModel])}`;
};

const WITH_VECTORS = 'vectors ';

/** An index keeps the vectors that the store has no more, until one by the model that has taken their place answers. */
function isCurrent(known: string | undefined, source: StoredSource, model: string): boolean {
  const version = versionOf(source, model);
  return known === version || known === `${WITH_VECTORS}${version}`;
}

/** As many sources as have so many passages together, and one at least. */
function* batchesOf(sources: readonly StoredSource[]): Generator<readonly StoredSource[]> {
  let batch: StoredSource[] = [];
  let passages = 0;
  for (const source of sources) {
    if (batch.length > 0 && passages + source.passages > BATCH) {
      yield batch;
      [batch, passages] = [[], 0];
    }
    batch.push(source);
    passages += source.passages;
  }
  if (batch.length > 0) yield batch;
}
