import type { Source } from '../../passages/domain/passage.ts';
import type { Document } from './document.ts';

/** The document as a search shows it. */
export const sourceOf = ({ id, name, createdAt, collection, mediaType }: Document): Source => ({
  kind: 'DOCUMENT',
  id,
  title: name,
  createdAt,
  mediaType,
  ...(collection !== '' && { collection }),
});

/** What a change of a document means for searches: it is found no more, or called or filed differently. */
export function searchChange(
  before: Document | undefined,
  after: Document | undefined,
): 'hide' | 'relabel' | undefined {
  if (!before) return undefined;
  const isTaken = !after || after.objectKey !== before.objectKey || after.status === 'ARCHIVED';
  if (isTaken) return before.status === 'ARCHIVED' && after?.status === 'ARCHIVED' ? undefined : 'hide';
  return after.name === before.name && after.collection === before.collection ? undefined : 'relabel';
}
