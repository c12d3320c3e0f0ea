import { fairSemaphore, unavailable, outsideOfCalls, type Clock } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { PassageStore } from '../domain/passage-store.ts';
import type { SourceKind } from '../domain/passage.ts';
import { indexContents, type IndexAccess, type OpenedIndex } from './index-contents.ts';
import { ALL_PARTS, type Part, partsOf, type PassageBudgets } from './index-parts.ts';
import { FORGOTTEN_AFTER_MS, type IndexSnapshots } from './index-snapshots.ts';
import type { IndexThread } from './index-thread.ts';
import type { IndexReply } from './index-worker.ts';
import type { Found, IndexQuery } from './organisation-index.ts';

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
  /** Absent: an index that is opened is built. */
  readonly snapshots?: IndexSnapshots | undefined;
  /** Smaller indexes are built as soon as read. */
  readonly minSavedPassages?: number;
  readonly onSaveError?: (error: unknown, organisationId: string) => void;
}

/** The thread does one thing after the other. */
const THREAD_LIMITS = { slots: 1, share: 1, maxWaiting: 256, maxWaitingInAll: 4_096, timeoutMs: 60_000 };

/** An index that has changed by this part of its passages gets another snapshot, as does one whose snapshot will soon be too old. */
const CHANGED = 0.05;
const SAVED_AGAIN_AFTER_MS = FORGOTTEN_AFTER_MS / 2;

/** What a service that stops waits for. */
const SAVE_AT_CLOSE_MS = 5_000;

export interface IndexCounts {
  readonly open: number;
  readonly incomplete: number;
  readonly builds: number;
  /** Those that began with a snapshot, and are no builds. */
  readonly restored: number;
}

/** The vector of a question is of another model than those of the index. */
export class OtherModel extends Error {
  readonly model: string;

  constructor(model: string) {
    super(`the index has vectors of ${model}`);
    this.model = model;
  }
}

/**
 * Keeps the indexes of an organisation in step with the store: built when they are first asked for, afterwards by what has changed
 * since, whichever replica changed it. Each replica has the indexes of those organisations whose searches reach it.
 */
export function openedIndexes(options: OpenedIndexesOptions, indexThread: IndexThread) {
  const { passageStore, modelOf, clock, budgets, maxBytes, timeoutMs = 5_000 } = options;
  const { snapshots, minSavedPassages = 1_000, onSaveError } = options;
  const slots = fairSemaphore(THREAD_LIMITS);
  /** One that has much read in, or searches much, waits for itself alone. */
  const thread: IndexAccess = {
    generation: indexThread.generation,
    ask: (organisationId, request) => slots.run('tenants', organisationId, () => indexThread.ask(request)),
    askAtOnce: indexThread.ask,
  };
  /** By organisation; the one used last is last. */
  const opened = new Map<string, Map<Part, OpenedIndex>>();
  const working = new Map<string, Promise<void>>();
  /** Organisations whose indexes are being built by another model, beside those that answer. */
  const changing = new Set<string>();
  let [builds, restored] = [0, 0];
  const contents = indexContents({ passageStore, clock, budgets, snapshots }, thread);
  const open = async (organisationId: string, part: Part, model: string): Promise<OpenedIndex> => {
    const index = await contents.open(organisationId, part, model);
    if (index.savedAt) restored += 1;
    else builds += 1;
    return index;
  };

  const isLargeEnough = (index: OpenedIndex): boolean => sizeOf(index) >= minSavedPassages;
  /** One snapshot is written after the other. */
  let saving = Promise.resolve();
  const save = (index: OpenedIndex): Promise<void> => {
    saving = saving.then(async () => {
      if (!isLargeEnough(index) || !isUsable(index)) return;
      await contents.save(index).catch((error: unknown) => onSaveError?.(error, index.organisationId));
    });
    return saving;
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

  const isUsable = (index: OpenedIndex | undefined): index is OpenedIndex =>
    index?.thread === thread.generation() && clock.now().getTime() - index.position.getTime() < FORGOTTEN_AFTER_MS;

  /** Of those of its indexes that can be used, but for this part. */
  const openedModel = (organisationId: string, but?: Part): string | undefined =>
    [...(opened.get(organisationId)?.values() ?? [])].find((index) => index.part !== but && isUsable(index))?.model;

  /** Builds the indexes by another model while those that are there answer, and puts all of them in their place at once. */
  const changeModel = async (organisationId: string, model: string): Promise<void> => {
    if (changing.has(organisationId)) return;
    changing.add(organisationId);
    const built = new Map<Part, OpenedIndex>();
    let leaving: Iterable<OpenedIndex> = built.values();
    try {
      for (const part of opened.get(organisationId)?.keys() ?? []) {
        const index = await open(organisationId, part, model);
        built.set(part, index);
        await contents.catchUp(index);
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
      : await open(organisationId, part, openedModel(organisationId, part) ?? model);
    await contents.catchUp(index);
    const isRefilled = await contents.refill(index);
    const others = opened.get(organisationId);
    // Those of another model have taken its place meanwhile.
    if ((openedModel(organisationId) ?? index.model) !== index.model) return;
    opened.delete(organisationId);
    opened.set(organisationId, new Map([...(others ?? []), [part, index]]));
    await makeRoom();
    if (index.model !== model) void changeModel(organisationId, model);
    if (snapshots && index !== present && !index.savedAt) void save(index);
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
    const work = outsideOfCalls(() => refresh(organisationId, part)).finally(() => working.delete(key));
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

    async drop(organisationId: string): Promise<void> {
      await drop(organisationId);
      await snapshots?.remove(organisationId);
    },

    /** Removes snapshots with what was deleted or changed since, and writes those of open indexes that have changed enough. */
    async keepSnapshots(stopping?: AbortSignal): Promise<void> {
      if (!snapshots) return;
      const present = new Set(
        (await snapshots.tidy(stopping)).map(({ organisationId, part }) => `${organisationId}/${part}`),
      );
      for (const index of [...opened.values()].flatMap((parts) => [...parts.values()])) {
        const { organisationId, part, savedAt, position, changed } = index;
        const isDue =
          !present.has(`${organisationId}/${part}`) ||
          !savedAt ||
          changed > Math.max(minSavedPassages, CHANGED * sizeOf(index)) ||
          position.getTime() - savedAt.getTime() > SAVED_AGAIN_AFTER_MS;
        if (stopping?.aborted || !isDue || !isLargeEnough(index) || !isUsable(index)) continue;
        // Whatever was deleted before is not written down again.
        await refreshed(organisationId, part);
        const current = opened.get(organisationId)?.get(part);
        if (current) await save(current);
      }
    },

    /** Writes what has changed, for whoever starts next. */
    async close(): Promise<void> {
      if (!snapshots) return;
      const all = [...opened.values()].flatMap((parts) => [...parts.values()]);
      const saved = Promise.all(all.filter(({ changed, savedAt }) => changed > 0 || !savedAt).map(save));
      await Promise.race([saved, delay(SAVE_AT_CLOSE_MS, undefined, { ref: false })]);
    },

    /** Of this replica: indexes that are open, those of which something was left out, and how often one was built. */
    counts: (): IndexCounts => {
      const all = [...opened.values()].flatMap((parts) => [...parts.values()]);
      const incomplete = all.filter(({ leftOut, refilled }) => leftOut.size + refilled.size > 0);
      return { open: all.length, incomplete: incomplete.length, builds, restored };
    },
  };
}

const sizeOf = ({ passages }: OpenedIndex): number => Object.values(passages).reduce((sum, count) => sum + count, 0);
