import type { DocumentRef } from './documents.ts';

/** Each upload of a document has a key of its own, so that what is removed is never what came after it. */
export const objectKeyOf = ({ organisationId, id }: DocumentRef, upload: string): string =>
  `${organisationId}/documents/${id}/${upload}`;

/** Of whose bytes they are. The key comes out of a ticket of our own. */
export function documentRefOf(key: string): DocumentRef {
  const [organisationId = '', , id = ''] = key.split('/');
  return { organisationId, id };
}
