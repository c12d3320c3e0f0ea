import { isDeepStrictEqual } from 'node:util';
import { parentPort } from 'node:worker_threads';
import type { SourceKind } from '../domain/passage.ts';
import { sameBudgets, type PassageBudgets } from './index-parts.ts';
import { madeBy } from './made-by.ts';
import {
  OrganisationIndex,
  type Found,
  type IndexedPassage,
  type IndexedSource,
  type IndexQuery,
} from './organisation-index.ts';
import { searchIndexes } from './search-indexes.ts';
import { readSnapshot, writeSnapshot, type SnapshotOf } from './snapshot-file.ts';

/** A source with its passages. */
interface IndexedSet {
  readonly source: IndexedSource;
  readonly passages: readonly IndexedPassage[];
}

/** What the thread is asked to do, with the index of this key or, in a search, with those of these as if they were one. */
export type IndexRequest =
  | { readonly do: 'open'; readonly key: string; readonly budgets: PassageBudgets }
  /** As `open`, with what a snapshot has; where there is none that can be used, nothing is opened. */
  | { readonly do: 'restore'; readonly key: string; readonly file: string; readonly of: SnapshotOf }
  | {
      readonly do: 'save';
      readonly key: string;
      readonly file: string;
      readonly of: SnapshotOf;
      readonly position: number;
    }
  | { readonly do: 'versions'; readonly key: string; readonly from: number; readonly count: number }
  | { readonly do: 'put'; readonly key: string; readonly sources: readonly IndexedSet[] }
  | { readonly do: 'drop'; readonly key: string; readonly sources: readonly SourceName[] }
  | { readonly do: 'close'; readonly key: string }
  | { readonly do: 'search'; readonly keys: readonly string[]; readonly query: IndexQuery }
  /** Searches these alone, and forgets them. */
  | { readonly do: 'rank'; readonly sources: readonly IndexedSet[]; readonly query: IndexQuery };

type SourceName = Pick<IndexedSource, 'kind' | 'id'>;

export interface IndexReply {
  /** False: the thread has no such index, or none any more, and has done nothing. */
  readonly isOpen: boolean;
  readonly found: readonly Found[];
  readonly passages: Readonly<Record<SourceKind, number>>;
  readonly bytes: number;
  /** What had no room any more. */
  readonly leftOut: readonly SourceName[];
  /** Of what was asked for, by their keys. */
  readonly versions?: readonly (readonly [key: string, version: string])[];
  /** Of the snapshot that was restored; milliseconds since 1970. */
  readonly position?: number;
}

const nothing: IndexReply = {
  isOpen: true,
  found: [],
  passages: { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 },
  bytes: 0,
  leftOut: [],
};

const indexes = new Map<string, OrganisationIndex>();

async function answer(request: IndexRequest): Promise<IndexReply> {
  if (request.do === 'save') return save(request);
  return answerAtOnce(request);
}

type Save = Extract<IndexRequest, { readonly do: 'save' }>;

/** What has changed while it gets to the disk is not in it. */
async function save({ key, file, of, position }: Save): Promise<IndexReply> {
  const index = indexes.get(key);
  if (!index) return { ...nothing, isOpen: false };
  await writeSnapshot(file, { ...of, made: madeBy(), position }, index.snapshot());
  return nothing;
}

function restore({ key, file, of }: Extract<IndexRequest, { readonly do: 'restore' }>): IndexReply {
  const snapshot = readSnapshot(file);
  if (!snapshot) return { ...nothing, isOpen: false };
  const { made, position, organisationId, part, model, budgets } = snapshot.header;
  const found: SnapshotOf = { organisationId, part, model, budgets };
  if (made !== madeBy() || !isDeepStrictEqual(found, of)) return { ...nothing, isOpen: false };
  try {
    const index = OrganisationIndex.restored(budgets, snapshot.part);
    indexes.set(key, index);
    return { ...nothing, passages: index.passages, bytes: index.bytes, position };
  } catch {
    return { ...nothing, isOpen: false };
  }
}

function answerAtOnce(request: Exclude<IndexRequest, Save>): IndexReply {
  if (request.do === 'restore') return restore(request);
  if (request.do === 'rank') return rank(request.sources, request.query);
  if (request.do === 'search') {
    const searched = request.keys.flatMap((key) => indexes.get(key) ?? []);
    if (searched.length < request.keys.length) return { ...nothing, isOpen: false };
    return { ...nothing, found: searchIndexes(searched, request.query) };
  }
  const { key } = request;
  if (request.do === 'open') indexes.set(key, new OrganisationIndex(request.budgets));
  if (request.do === 'close') indexes.delete(key);
  const index = indexes.get(key);
  if (!index) return { ...nothing, isOpen: false };
  if (request.do === 'versions') return { ...nothing, versions: index.versions(request.from, request.count) };
  const leftOut: SourceName[] = [];
  if (request.do === 'put')
    for (const { source, passages } of request.sources) leftOut.push(...index.put(source, passages));
  if (request.do === 'drop') for (const { kind, id } of request.sources) index.drop(kind, id);
  return { ...nothing, passages: index.passages, bytes: index.bytes, leftOut };
}

function rank(sources: readonly IndexedSet[], query: IndexQuery): IndexReply {
  const index = new OrganisationIndex(sameBudgets(Infinity));
  for (const { source, passages } of sources) index.put(source, passages);
  return { ...nothing, found: searchIndexes([index], query) };
}

parentPort?.on('message', ({ id, request }: { id: number; request: IndexRequest }) => {
  answer(request).then(
    (reply) => parentPort?.postMessage({ id, reply }),
    (error: unknown) => parentPort?.postMessage({ id, error }),
  );
});
