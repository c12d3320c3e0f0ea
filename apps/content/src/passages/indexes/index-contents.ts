import type { Clock } from '@platform-backend/core';
import type { ChangePosition, PassageStore, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { SourceKind } from '../domain/passage.ts';
import { type Part, PARTS, type PassageBudgets } from './index-parts.ts';
import { FORGOTTEN_AFTER_MS, LATE_COMMIT_MS, type IndexSnapshots } from './index-snapshots.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { indexedSource } from './indexed-source.ts';
import { keyOf } from './organisation-index.ts';
import type { SnapshotOf } from './snapshot-file.ts';
import { hasVectors, isCurrent, versionOf } from './source-version.ts';

/** The thread that has the indexes, in which organisations take turns. */
export interface IndexAccess {
  /** Another one where the thread has died: what it had is gone. */
  readonly generation: () => number;
  readonly ask: (organisationId: string, request: IndexRequest) => Promise<IndexReply>;
  /** Without a turn. */
  readonly askAtOnce: (request: IndexRequest) => Promise<IndexReply>;
}

/** An index in a thread, with what is known of what it has. */
export interface OpenedIndex {
  readonly organisationId: string;
  readonly part: Part;
  readonly key: string;
  /** Of its vectors. The indexes of an organisation have the same. */
  readonly model: string;
  /** Of the thread that has it. */
  thread: number;
  /** The version of each source that the index has, by kind and id. */
  readonly versions: Map<string, string>;
  /** Kinds of which something was left out, with how many passages there were after that. */
  readonly leftOut: Map<SourceKind, number>;
  /** Kinds of which what was left out is being read in, newest first, from behind this one. */
  readonly refilled: Map<SourceKind, StoredSource | undefined>;
  /** All changes before it are known, but for those that are committed late. */
  position: Date;
  /** When those were looked for last. */
  lookedBackAt: number;
  /** That of its last snapshot; undefined: it has none. */
  savedAt?: Date;
  /** How many passages and sources have been put and dropped since. */
  changed: number;
  bytes: number;
  passages: IndexReply['passages'];
}

/** How many passages are read and handed to the thread at a time. */
const BATCH = 500;
const ROWS = 1_000;
/** Of how many sources of a snapshot the thread tells at a time. */
const VERSIONS = 5_000;

/**
 * Changes are looked at again for so long: their time is that of the replica that wrote them, before they were written. Replicas'
 * clocks have to agree to within half of it.
 */
const OVERLAP_MS = 15_000;

/** After so long changes are looked at again that may have been committed late, which would be too many each time. */
const LOOKED_BACK_AFTER_MS = 30_000;

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
  /** Absent: there are none. */
  readonly snapshots?: Pick<IndexSnapshots, 'fileOf'> | undefined;
}

/** Has an index hold what the store has. */
export function indexContents({ passageStore, clock, budgets, snapshots }: ContentsOptions, thread: IndexAccess) {
  const ask = async (index: OpenedIndex, request: IndexRequest): Promise<IndexReply> => {
    const reply = await thread.ask(index.organisationId, request);
    index.bytes = reply.bytes;
    index.passages = reply.passages;
    if (request.do === 'put') index.changed += request.sources.reduce((sum, { passages }) => sum + passages.length, 1);
    if (request.do === 'drop') index.changed += request.sources.length;
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
      source: { ...indexedSource(source), version: versionOf(source, model) },
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

  /** With what its snapshot has. False: there is none that can be used. */
  const restore = async (index: OpenedIndex): Promise<boolean> => {
    const { organisationId, key } = index;
    const file = snapshots?.fileOf(index);
    if (file === undefined) return false;
    const reply = await thread.ask(organisationId, { do: 'restore', key, file, of: snapshotOf(index) });
    const { isOpen, position = 0 } = reply;
    if (!isOpen || clock.now().getTime() - position > FORGOTTEN_AFTER_MS) return false;
    index.savedAt = new Date(position);
    [index.bytes, index.passages] = [reply.bytes, reply.passages];
    for (let from = 0; ; from += VERSIONS) {
      const { versions = [] } = await thread.ask(organisationId, { do: 'versions', key, from, count: VERSIONS });
      for (const [source, version] of versions) index.versions.set(source, version);
      if (versions.length < VERSIONS) return true;
    }
  };

  /** Reads in what there is of a kind, newest first, but for what the index has; what is there no more, it loses. */
  const readIn = async (index: OpenedIndex, kind: SourceKind): Promise<void> => {
    const { organisationId, key, model } = index;
    const seen = new Set<string>();
    const isMissing = (source: StoredSource): boolean => !index.versions.has(keyOf(source));
    let [before, isFull]: [StoredSource | undefined, boolean] = [undefined, false];
    do {
      const rows: readonly StoredSource[] = await passageStore.newest(organisationId, kind, ROWS, before);
      for (const source of rows) seen.add(keyOf(source));
      const others = rows.filter((source) => !isCurrent(index.versions.get(keyOf(source)), source, model));
      for (const batch of batchesOf(others)) {
        if (isFull) break;
        await put(index, batch);
        // What a snapshot had may be what makes room.
        isFull = index.savedAt ? batch.some(isMissing) : index.leftOut.has(kind);
      }
      before = rows.length === ROWS ? rows.at(-1) : undefined;
    } while (before && !isFull);
    const unseen = [...index.versions.keys()].filter((one) => one.startsWith(`${kind}:`) && !seen.has(one));
    const sources = unseen.map((one) => ({ kind, id: one.slice(kind.length + 1) }));
    if (sources.length > 0) await ask(index, { do: 'drop', key, sources });
    for (const one of unseen) index.versions.delete(one);
  };

  /** From a snapshot, where there is one, or from nothing: either way what the store has is compared, so that none can be wrong for long. */
  const open = async (organisationId: string, part: Part, model: string): Promise<OpenedIndex> => {
    const openedAt = clock.now().getTime();
    const position = new Date(openedAt - OVERLAP_MS);
    const key = `${organisationId}/${part}/${model}`;
    const index: OpenedIndex = {
      ...{ organisationId, part, key, model, position },
      lookedBackAt: openedAt,
      thread: 0,
      versions: new Map(),
      leftOut: new Map(),
      refilled: new Map(),
      changed: 0,
      bytes: 0,
      passages: noPassages,
    };
    if (!(await restore(index))) await thread.ask(organisationId, { do: 'open', key, budgets });
    // The first one is asked for by that.
    index.thread = thread.generation();
    for (const kind of PARTS[part]) await readIn(index, kind);
    return index;
  };

  /** What its snapshot says of it. */
  const snapshotOf = ({ organisationId, part, model }: OpenedIndex): SnapshotOf => ({
    ...{ organisationId, part, model, budgets },
  });

  /** Writes its snapshot, beside what others ask the thread. */
  const save = async (index: OpenedIndex): Promise<void> => {
    const { key, position, changed } = index;
    const file = snapshots?.fileOf(index);
    if (file === undefined) return;
    const about = { file, of: snapshotOf(index), position: position.getTime() };
    const { isOpen } = await thread.askAtOnce({ do: 'save', key, ...about });
    if (!isOpen) return;
    index.savedAt = position;
    index.changed -= changed;
  };

  const catchUp = async (index: OpenedIndex): Promise<void> => {
    const { organisationId, part, key, model } = index;
    const now = clock.now().getTime();
    const looksBack = now - index.lookedBackAt >= LOOKED_BACK_AFTER_MS;
    const since = looksBack ? new Date(index.position.getTime() - LATE_COMMIT_MS) : index.position;
    let behind: ChangePosition | undefined;
    do {
      const changes = await passageStore.changes(organisationId, PARTS[part], since, ROWS, behind);
      const present = changes.flatMap(({ present: source }) => (source ? [source] : []));
      const changed = present.filter((source) => !isCurrent(index.versions.get(keyOf(source)), source, model));
      for (const batch of batchesOf(changed)) await put(index, batch);
      const gone = changes.filter((change) => !change.present && index.versions.has(keyOf(change)));
      if (gone.length > 0) await ask(index, { do: 'drop', key, sources: gone });
      for (const change of gone) index.versions.delete(keyOf(change));
      behind = changes.length === ROWS ? changes.at(-1)?.position : undefined;
    } while (behind);
    index.position = new Date(now - OVERLAP_MS);
    if (looksBack) index.lookedBackAt = now;
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

  return { open, catchUp, refill, save };
}

const vectorIn = ({ model: own, vector, next }: StoredPassage, model: string): Float32Array | undefined =>
  own === model ? vector : next?.model === model ? next.vector : undefined;

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
