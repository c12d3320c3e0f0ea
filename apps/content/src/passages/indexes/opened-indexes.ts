import { unavailable, type Clock } from '@platform-backend/core';
import type { Embeddings } from '../domain/embeddings.ts';
import type { ChangePosition, PassageStore, StoredSource } from '../domain/passage-store.ts';
import type { IndexThread } from './index-thread.ts';
import type { IndexReply, IndexRequest } from './index-worker.ts';
import { indexedSource } from './indexed-source.ts';
import type { IndexQuery } from './organisation-index.ts';

export interface IndexLimits {
  /** Of one organisation; of what is beyond, the oldest sources are not searched. */
  readonly maxPassages: number;
  /** Of all indexes; the one that was not asked for longest goes first. */
  readonly maxBytes: number;
}

export interface OpenedIndexesOptions extends IndexLimits {
  readonly passageStore: PassageStore;
  readonly embeddings: Pick<Embeddings, 'model'>;
  readonly clock: Clock;
  /** How long a search waits for an index that is being built; the building goes on. */
  readonly timeoutMs?: number;
}

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

interface Opened {
  /** Of the thread that has it. */
  readonly thread: number;
  /** The version of each source that the index has, by kind and id. */
  readonly versions: Map<string, string>;
  /** All changes before it are known. */
  position: Date;
  bytes: number;
}

/**
 * Keeps the index of an organisation in step with the store: built when it is first asked for, afterwards by what has changed
 * since, whichever replica changed it. Each replica has the indexes of those organisations whose searches reach it.
 */
export function openedIndexes(options: OpenedIndexesOptions, thread: IndexThread) {
  const { passageStore, embeddings, clock, maxPassages, maxBytes, timeoutMs = 5_000 } = options;
  /** The one used last is last. */
  const opened = new Map<string, Opened>();
  const working = new Map<string, Promise<void>>();

  const ask = async (index: Opened, request: IndexRequest): Promise<IndexReply> => {
    const reply = await thread.ask(request);
    index.bytes = reply.bytes;
    return reply;
  };

  const put = async (organisationId: string, index: Opened, sources: readonly StoredSource[]): Promise<IndexReply> => {
    const generations = sources.map(({ generation }) => generation);
    const bySet = Map.groupBy(await passageStore.passages(organisationId, generations), ({ generation }) => generation);
    const read = sources.map((source) => ({
      source: indexedSource(source),
      passages: (bySet.get(source.generation) ?? []).map(({ ordinal, text, vector }) => ({
        ordinal,
        text,
        ...(vector && source.model === embeddings.model && { vector }),
      })),
    }));
    for (const source of sources) index.versions.set(keyOf(source), versionOf(source));
    return ask(index, { organisationId, do: 'put', sources: read });
  };

  const build = async (organisationId: string): Promise<Opened> => {
    const position = new Date(clock.now().getTime() - OVERLAP_MS);
    await thread.ask({ organisationId, do: 'open', maxPassages });
    const index: Opened = { thread: thread.generation(), versions: new Map(), position, bytes: 0 };
    let before: StoredSource | undefined;
    let isComplete = true;
    do {
      const rows: readonly StoredSource[] = await passageStore.newest(organisationId, ROWS, before);
      for (const batch of batchesOf(rows)) isComplete &&= (await put(organisationId, index, batch)).isComplete;
      before = rows.length === ROWS ? rows.at(-1) : undefined;
    } while (before && isComplete);
    return index;
  };

  const catchUp = async (organisationId: string, index: Opened): Promise<void> => {
    const position = new Date(clock.now().getTime() - OVERLAP_MS);
    let behind: ChangePosition | undefined;
    do {
      const changes = await passageStore.changes(organisationId, index.position, ROWS, behind);
      const present = changes.flatMap(({ present: source }) => (source ? [source] : []));
      const changed = present.filter((source) => index.versions.get(keyOf(source)) !== versionOf(source));
      for (const batch of batchesOf(changed)) await put(organisationId, index, batch);
      const gone = changes.filter((change) => !change.present && index.versions.delete(keyOf(change)));
      if (gone.length > 0) await ask(index, { organisationId, do: 'drop', sources: gone });
      behind = changes.length === ROWS ? changes.at(-1)?.position : undefined;
    } while (behind);
    index.position = position;
  };

  const drop = async (organisationId: string): Promise<void> => {
    if (opened.delete(organisationId)) await thread.ask({ organisationId, do: 'close' });
  };

  const makeRoom = async (): Promise<void> => {
    let bytes = [...opened.values()].reduce((sum, index) => sum + index.bytes, 0);
    for (const [organisationId, index] of opened) {
      if (bytes <= maxBytes || opened.size === 1) return;
      // Of what is just being read into it nobody could tell that it is missing.
      if (working.has(organisationId)) continue;
      bytes -= index.bytes;
      await drop(organisationId);
    }
  };

  const isUsable = (index: Opened | undefined): index is Opened =>
    index?.thread === thread.generation() && clock.now().getTime() - index.position.getTime() < FORGOTTEN_AFTER_MS;

  const refresh = async (organisationId: string): Promise<void> => {
    const present = opened.get(organisationId);
    const index = isUsable(present) ? present : await build(organisationId);
    await catchUp(organisationId, index);
    opened.delete(organisationId);
    opened.set(organisationId, index);
    await makeRoom();
  };

  /** Those who come while somebody looks may have changed something since, so that it is looked once more for all of them. */
  const refreshed = async (organisationId: string): Promise<void> => {
    const present = working.get(organisationId);
    if (present) await present.catch(() => undefined);
    const following = working.get(organisationId);
    if (following) return following;
    const work = refresh(organisationId).finally(() => working.delete(organisationId));
    working.set(organisationId, work);
    return work;
  };

  const fresh = async (organisationId: string, signal?: AbortSignal): Promise<void> => {
    const work = refreshed(organisationId);
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

  return {
    /** Resolves when the index has all that was written before. UNAVAILABLE: it is still being built. */
    fresh,

    /** What the index finds that was made `fresh` before. UNAVAILABLE: it was closed, and is still being built again. */
    async search(organisationId: string, query: IndexQuery, signal?: AbortSignal): Promise<IndexReply> {
      const reply = await thread.ask({ organisationId, do: 'search', query });
      if (reply.isOpen) return reply;
      // Others have taken its room since, or its thread has died.
      opened.delete(organisationId);
      await fresh(organisationId, signal);
      const answer = await thread.ask({ organisationId, do: 'search', query });
      if (!answer.isOpen) throw unavailable(new Error('the index of the organisation was closed again and again'));
      return answer;
    },

    drop,
  };
}

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind}:${id}`;

/** What an index has of a source is another thing when any of it is: words of titles and what filters look at, too. */
const versionOf = ({ generation, model, title, collection, mediaType, memberIds }: StoredSource): string =>
  JSON.stringify([generation, model, title, collection, mediaType, memberIds]);

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
