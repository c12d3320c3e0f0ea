import { fairSemaphore, unavailable, withoutCaller, type Clock } from '@platform-backend/core';
import type { ChangePosition, PassageStore, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { SourceKind } from '../domain/passage.ts';
import type { IndexThread } from './index-thread.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { indexedSource } from './indexed-source.ts';
import type { Found, IndexQuery, PassageBudgets } from './organisation-index.ts';

export interface IndexLimits {
  /** Of one organisation; of what is beyond, the oldest sources of the kind are not searched. */
  readonly budgets: PassageBudgets;
  /** Of all indexes; those of the organisation that did not ask for longest go first. */
  readonly maxBytes: number;
}

export interface OpenedIndexesOptions extends IndexLimits {
  readonly passageStore: PassageStore;
  /** Of which model the vectors of an organisation's indexes are to be. */
  readonly modelOf: (organisationId: string) => Promise<string>;
  readonly clock: Clock;
  /** How long a search waits for an index that is being built; the building goes on. */
  readonly timeoutMs?: number;
}

/** The thread does one thing after the other. */
const THREAD_LIMITS = { slots: 1, share: 1, maxWaiting: 256, maxWaitingInAll: 4_096, timeoutMs: 60_000 };

/** How many passages are read and handed to the thread at a time. */
const BATCH = 500;
const ROWS = 1_000;

/**
 * Changes are looked at again for so long: their time is that of the replica that wrote them, before they were written. Replicas'
 * clocks have to agree to within half of it.
 */
const OVERLAP_MS = 15_000;

/** What was removed is remembered by the store for a day: an index that has not looked for half of it is built anew. */
const FORGOTTEN_AFTER_MS = 12 * 60 * 60_000;

/** What is indexed together. Messages are the most by far, and most searches are not about them. */
const PARTS = { content: ['DOCUMENT', 'CONVENTION'], messages: ['MESSAGE'] } as const satisfies Record<
  string,
  readonly SourceKind[]
>;
type Part = keyof typeof PARTS;
const ALL_PARTS = Object.keys(PARTS) as readonly Part[];

/** Those with what a query may find. */
export const partsOf = (kinds: readonly SourceKind[] | undefined): readonly Part[] =>
  kinds ? ALL_PARTS.filter((part) => PARTS[part].some((kind) => kinds.includes(kind))) : ALL_PARTS;

/** All kinds that are searched as one where some of these are. */
export const kindsSearchedWith = (kinds: readonly SourceKind[] | undefined): readonly SourceKind[] =>
  partsOf(kinds).flatMap((part) => PARTS[part]);

/** Once so much of its budget is free again, a kind of which something was left out is looked through for that. */
const ROOM = 0.05;

/** How many passages that were left out are read in again before others have their turn. */
const REFILLED = 2_000;

interface Opened {
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

export interface IndexCounts {
  readonly open: number;
  readonly incomplete: number;
  readonly builds: number;
}

/** The vector of a question is of another model than those of the index. */
export class OtherModel extends Error {
  readonly model: string;

  constructor(model: string) {
    super(`the index has vectors of ${model}`);
    this.model = model;
  }
}

/** The version of a source of which nobody knows what the index has. */
const UNKNOWN = '';

const noPassages: IndexReply['passages'] = { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 };

/**
 * Keeps the indexes of an organisation in step with the store: built when they are first asked for, afterwards by what has changed
 * since, whichever replica changed it. Each replica has the indexes of those organisations whose searches reach it.
 */
export function openedIndexes(options: OpenedIndexesOptions, indexThread: IndexThread) {
  const { passageStore, modelOf, clock, budgets, maxBytes, timeoutMs = 5_000 } = options;
  const turns = fairSemaphore(THREAD_LIMITS);
  /** In the thread organisations take turns: one that has much read in, or searches much, waits for itself alone. */
  const thread = {
    generation: indexThread.generation,
    ask: (organisationId: string, request: IndexRequest): Promise<IndexReply> =>
      turns.run('tenants', organisationId, () => indexThread.ask(request)),
  };
  /** By organisation; the one used last is last. */
  const opened = new Map<string, Map<Part, Opened>>();
  const working = new Map<string, Promise<void>>();
  /** Organisations whose indexes are being built by another model, beside those that answer. */
  const changing = new Set<string>();
  let builds = 0;

  const ask = async (index: Opened, request: IndexRequest): Promise<IndexReply> => {
    const reply = await thread.ask(index.organisationId, request);
    index.bytes = reply.bytes;
    index.passages = reply.passages;
    for (const source of reply.leftOut) {
      index.versions.delete(keyOf(source));
      index.leftOut.set(source.kind, reply.passages[source.kind]);
    }
    return reply;
  };

  const put = async (index: Opened, sources: readonly StoredSource[]): Promise<IndexReply> => {
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

  const build = async (organisationId: string, part: Part, model: string): Promise<Opened> => {
    const position = new Date(clock.now().getTime() - OVERLAP_MS);
    const key = `${organisationId}/${part}/${model}`;
    builds += 1;
    await thread.ask(organisationId, { do: 'open', key, budgets });
    const index: Opened = {
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

  const catchUp = async (index: Opened): Promise<void> => {
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
  const refill = async (index: Opened): Promise<boolean> => {
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

  const drop = async (organisationId: string): Promise<void> => {
    const indexes = opened.get(organisationId);
    opened.delete(organisationId);
    for (const { key } of indexes?.values() ?? []) await thread.ask(organisationId, { do: 'close', key });
  };

  const makeRoom = async (): Promise<void> => {
    const sizes = [...opened].map(([organisationId, indexes]) => ({
      organisationId,
      bytes: [...indexes.values()].reduce((sum, index) => sum + index.bytes, 0),
    }));
    let bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
    for (const { organisationId, bytes: own } of sizes) {
      if (bytes <= maxBytes || opened.size === 1) return;
      // Of what is just being read into it nobody could tell that it is missing.
      if (ALL_PARTS.some((part) => working.has(`${organisationId}/${part}`))) continue;
      bytes -= own;
      await drop(organisationId);
    }
  };

  const isUsable = (index: Opened | undefined): index is Opened =>
    index?.thread === thread.generation() && clock.now().getTime() - index.position.getTime() < FORGOTTEN_AFTER_MS;

  /** Of those of its indexes that can be used, but for this part. */
  const openedModel = (organisationId: string, but?: Part): string | undefined =>
    [...(opened.get(organisationId)?.values() ?? [])].find((index) => index.part !== but && isUsable(index))?.model;

  /** Builds the indexes by another model while those that are there answer, and puts all of them in their place at once. */
  const changeModel = async (organisationId: string, model: string): Promise<void> => {
    if (changing.has(organisationId)) return;
    changing.add(organisationId);
    const built = new Map<Part, Opened>();
    let leaving: Iterable<Opened> = built.values();
    try {
      for (const part of opened.get(organisationId)?.keys() ?? []) {
        const index = await build(organisationId, part, model);
        built.set(part, index);
        await catchUp(index);
      }
      leaving = opened.get(organisationId)?.values() ?? [];
      opened.delete(organisationId);
      opened.set(organisationId, built);
    } catch {
      // The next search tries it again.
    } finally {
      changing.delete(organisationId);
      for (const { key } of leaving) await thread.ask(organisationId, { do: 'close', key }).catch(() => undefined);
    }
    await makeRoom();
  };

  const refresh = async (organisationId: string, part: Part): Promise<void> => {
    const model = await modelOf(organisationId);
    const present = opened.get(organisationId)?.get(part);
    const index = isUsable(present)
      ? present
      : await build(organisationId, part, openedModel(organisationId, part) ?? model);
    await catchUp(index);
    const isRefilled = await refill(index);
    const others = opened.get(organisationId);
    // Those of another model have taken its place meanwhile.
    if ((openedModel(organisationId) ?? index.model) !== index.model) return;
    opened.delete(organisationId);
    opened.set(organisationId, new Map([...(others ?? []), [part, index]]));
    await makeRoom();
    if (index.model !== model) void changeModel(organisationId, model);
    // Whoever waits goes on in between.
    if (isRefilled) setImmediate(() => void refreshed(organisationId, part).catch(() => undefined));
  };

  /** Those who come while somebody looks may have changed something since, so that it is looked once more for all of them. */
  const refreshed = async (organisationId: string, part: Part): Promise<void> => {
    const key = `${organisationId}/${part}`;
    const present = working.get(key);
    if (present) await present.catch(() => undefined);
    const following = working.get(key);
    if (following) return following;
    // An index that is begun is for everybody, and one that takes long is there for the next search.
    const work = withoutCaller(() => refresh(organisationId, part)).finally(() => working.delete(key));
    working.set(key, work);
    return work;
  };

  const fresh = async (organisationId: string, parts: readonly Part[], signal?: AbortSignal): Promise<void> => {
    const work = Promise.all(parts.map((part) => refreshed(organisationId, part)));
    work.catch(() => undefined);
    const timeout = Promise.withResolvers<never>();
    const refuse = (): void => timeout.reject(unavailable(new Error('the index of the organisation is being built')));
    const timer = setTimeout(refuse, timeoutMs);
    signal?.addEventListener('abort', refuse);
    try {
      await Promise.race([work, timeout.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', refuse);
    }
  };

  /** False: something that the query could find was left out. */
  const isComplete = (organisationId: string, query: IndexQuery): boolean => {
    const indexes = [...(opened.get(organisationId)?.values() ?? [])];
    const wanted = (kind: SourceKind): boolean => !query.kinds || query.kinds.includes(kind);
    return !indexes.some(({ leftOut, refilled }) => [...leftOut.keys(), ...refilled.keys()].some(wanted));
  };

  return {
    /** Resolves when the indexes have all that was written before. UNAVAILABLE: they are still being built. */
    fresh,

    /** What the indexes find that were made `fresh` before. UNAVAILABLE: they were closed, and are still being built again. */
    async search(
      organisationId: string,
      query: IndexQuery & { readonly model?: string },
      signal?: AbortSignal,
    ): Promise<{ readonly found: readonly Found[]; readonly isComplete: boolean }> {
      const parts = partsOf(query.kinds);
      const ask = (): Promise<IndexReply> => {
        const model = openedModel(organisationId);
        if (query.vector && model !== undefined && model !== query.model) throw new OtherModel(model);
        const indexes = opened.get(organisationId);
        const keys = parts.map((part) => indexes?.get(part)?.key ?? `${organisationId}/${part}`);
        return thread.ask(organisationId, { do: 'search', keys, query });
      };
      let reply = await ask();
      // Those of another model may have taken their place.
      if (!reply.isOpen) reply = await ask();
      if (!reply.isOpen) {
        // Others have taken its room since, or its thread has died.
        await drop(organisationId);
        await fresh(organisationId, parts, signal);
        reply = await ask();
      }
      if (!reply.isOpen) throw unavailable(new Error('the index of the organisation was closed again and again'));
      return { found: reply.found, isComplete: isComplete(organisationId, query) };
    },

    drop,

    /** Of this replica: indexes that are open, those of which something was left out, and how often one was built. */
    counts: (): IndexCounts => {
      const all = [...opened.values()].flatMap((parts) => [...parts.values()]);
      const incomplete = all.filter(({ leftOut, refilled }) => leftOut.size + refilled.size > 0);
      return { open: all.length, incomplete: incomplete.length, builds };
    },
  };
}

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind}:${id}`;

/** Whether all vectors of a source are of this model, whether they answer already or stand beside those that do. */
const hasVectors = (source: StoredSource, model: string): boolean =>
  source.model === model || source.nextModel === model;

const vectorIn = ({ model: own, vector, next }: StoredPassage, model: string): Float32Array | undefined =>
  own === model ? vector : next?.model === model ? next.vector : undefined;

/** What an index has of a source is another thing when any of it is: words of titles and what filters look at, too. */
const versionOf = (source: StoredSource, model: string): string => {
  const { generation, title, collection, mediaType, labels, memberIds, readers } = source;
  return `${hasVectors(source, model) ? WITH_VECTORS : ''}${JSON.stringify([generation, title, collection, mediaType, memberIds, readers, labels])}`;
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
