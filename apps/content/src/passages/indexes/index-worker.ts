import { parentPort } from 'node:worker_threads';
import {
  OrganisationIndex,
  type Found,
  type IndexedPassage,
  type IndexedSource,
  type IndexQuery,
} from './organisation-index.ts';

/** A source with its passages. */
interface IndexedSet {
  readonly source: IndexedSource;
  readonly passages: readonly IndexedPassage[];
}

/** What the thread is asked to do, for one organisation. */
export type IndexRequest = { readonly organisationId: string } & (
  | { readonly do: 'open'; readonly maxPassages: number }
  | { readonly do: 'put'; readonly sources: readonly IndexedSet[] }
  | { readonly do: 'drop'; readonly sources: readonly Pick<IndexedSource, 'kind' | 'id'>[] }
  | { readonly do: 'search'; readonly query: IndexQuery }
  /** Searches these alone, and forgets them. */
  | { readonly do: 'rank'; readonly sources: readonly IndexedSet[]; readonly query: IndexQuery }
  | { readonly do: 'close' }
);

export interface IndexReply {
  /** False: the thread has no index of the organisation, or none any more, and has done nothing. */
  readonly isOpen: boolean;
  readonly found: readonly Found[];
  readonly passages: number;
  readonly bytes: number;
  readonly isComplete: boolean;
}

const indexes = new Map<string, OrganisationIndex>();

function answer(request: IndexRequest): IndexReply {
  const { organisationId } = request;
  if (request.do === 'rank') return rank(request.sources, request.query);
  if (request.do === 'open') indexes.set(organisationId, new OrganisationIndex(request));
  if (request.do === 'close') indexes.delete(organisationId);
  const index = indexes.get(organisationId);
  if (!index) return { isOpen: false, found: [], passages: 0, bytes: 0, isComplete: true };
  if (request.do === 'put') for (const { source, passages } of request.sources) index.put(source, passages);
  if (request.do === 'drop') for (const { kind, id } of request.sources) index.drop(kind, id);
  const found = request.do === 'search' ? index.search(request.query) : [];
  return { isOpen: true, found, passages: index.passages, bytes: index.bytes, isComplete: index.isComplete };
}

function rank(sources: readonly IndexedSet[], query: IndexQuery): IndexReply {
  const index = new OrganisationIndex({ maxPassages: Infinity });
  for (const { source, passages } of sources) index.put(source, passages);
  return { isOpen: true, found: index.search(query), passages: 0, bytes: 0, isComplete: true };
}

parentPort?.on('message', ({ id, request }: { id: number; request: IndexRequest }) => {
  try {
    parentPort?.postMessage({ id, reply: answer(request) });
  } catch (error) {
    parentPort?.postMessage({ id, error });
  }
});
