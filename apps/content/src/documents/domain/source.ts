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
