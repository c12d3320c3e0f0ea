import { readersOf } from '../../access/domain/access.ts';
import type { Source } from '../../passages/domain/passage.ts';
import { versionNumberOf, type Document } from './document.ts';
import { labelsOf } from './metadata.ts';

/** The document as a search shows it. */
export const sourceOf = ({ id, name, createdAt, collection, mediaType, metadata, ...document }: Document): Source => ({
  kind: 'DOCUMENT',
  id,
  title: name,
  createdAt,
  mediaType,
  readers: readersOf(document),
  ...(collection !== '' && { collection }),
  ...(metadata && { labels: labelsOf(metadata) }),
});

/** What a change of a document means for searches: it is found no more, or called or filed differently. */
export function searchChange(
  before: Document | undefined,
  after: Document | undefined,
): 'hide' | 'relabel' | undefined {
  if (!before) return undefined;
  // The passages of a new version are published in the transaction in which the document becomes that.
  if (after?.status === 'READY' && versionNumberOf(after) > versionNumberOf(before)) return undefined;
  const isTaken = !after || after.objectKey !== before.objectKey || after.status === 'ARCHIVED';
  if (isTaken) return before.status === 'ARCHIVED' && after?.status === 'ARCHIVED' ? undefined : 'hide';
  return isSearchedAlike(before, after) ? undefined : 'relabel';
}

/** What of a document searches go by. */
export type Searched = Pick<Document, 'name' | 'collection' | 'metadata' | 'access' | 'createdBy' | 'createdByKey'>;

/** Whether searches say the same of both, to the same people. */
export const isSearchedAlike = (one: Searched, other: Searched): boolean =>
  one.name === other.name &&
  one.collection === other.collection &&
  JSON.stringify(labelsOf(one.metadata)) === JSON.stringify(labelsOf(other.metadata)) &&
  JSON.stringify(readersOf(one)) === JSON.stringify(readersOf(other));
