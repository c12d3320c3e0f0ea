import { parentPort } from 'node:worker_threads';
import type { SourceKind } from '../domain/passage.ts';
import {
  OrganisationIndex,
  sameBudgets,
  type Found,
  type IndexedPassage,
  type IndexedSource,
  type IndexQuery,
  type PassageBudgets,
} from './organisation-index.ts';
import { searchIndexes } from './search-indexes.ts';

/** A source with its passages. */
interface IndexedSet {
  readonly source: IndexedSource;
  readonly passages: readonly IndexedPassage[];
}

/** What the thread is asked to do, with the index of this key or, in a search, with those of these as if they were one. */
export type IndexRequest =
  | { readonly do: 'open'; readonly key: string; readonly budgets: PassageBudgets }
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
}

const nothing: IndexReply = {
  isOpen: true,
  found: [],
  passages: { DOCUMENT: 0, CONVENTION: 0, MESSAGE: 0 },
  bytes: 0,
  leftOut: [],
};

const indexes = new Map<string, OrganisationIndex>();

function answer(request: IndexRequest): IndexReply {
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
  try {
    parentPort?.postMessage({ id, reply: answer(request) });
  } catch (error) {
    parentPort?.postMessage({ id, error });
  }
});
