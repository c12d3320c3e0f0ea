import type { StoredSource } from '../domain/passage-store.ts';
import type { IndexedSource } from './organisation-index.ts';

export const indexedSource = ({
  kind,
  id,
  title,
  generation,
  createdAt,
  collection,
  mediaType,
  labels,
  memberIds,
  readers,
}: StoredSource): IndexedSource => ({
  ...{ kind, id, title, generation },
  createdAt: createdAt.getTime(),
  ...(collection !== undefined && { collection }),
  ...(mediaType !== undefined && { mediaType }),
  ...(labels && { labels }),
  ...(memberIds && { memberIds }),
  ...(readers && { readers }),
});
