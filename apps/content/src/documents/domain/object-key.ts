import type { DocumentPlace } from './documents.ts';

/** Each upload of a document has a key of its own, so that what is removed is never what came after it. */
export const objectKeyOf = ({ organisationId, id }: DocumentPlace, upload: string): string =>
  `${organisationId}/documents/${id}/${upload}`;

/** Of whose bytes they are. The key comes out of a ticket of our own. */
export function placeOfKey(key: string): DocumentPlace {
  const [organisationId = '', , id = ''] = key.split('/');
  return { organisationId, id };
}
