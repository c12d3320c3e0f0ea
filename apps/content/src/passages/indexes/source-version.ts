import type { StoredSource } from '../domain/passage-store.ts';

/** Whether all vectors of a source are of this model, whether they answer already or stand beside those that do. */
export const hasVectors = (source: StoredSource, model: string): boolean =>
  source.model === model || source.nextModel === model || source.formerNameModel === model;

const WITH_VECTORS = 'vectors ';

/** What an index has of a source is another thing when any of it is: words of titles and what filters look at, too. */
export const versionOf = (source: StoredSource, model: string): string =>
  (hasVectors(source, model) ? WITH_VECTORS : '') + contentOf(source);

const contentOf = (source: StoredSource): string => {
  const { generation, title, collection, mediaType, labels, memberIds, readers, formerNameModel } = source;
  return JSON.stringify([generation, title, collection, mediaType, memberIds, readers, labels, formerNameModel]);
};

/** A version without what it says of vectors. */
export const withoutVectors = (version: string): string =>
  version.startsWith(WITH_VECTORS) ? version.slice(WITH_VECTORS.length) : version;

/** An index keeps the vectors that the store has no more, until one by the model that has taken their place answers. */
export function isCurrent(known: string | undefined, source: StoredSource, model: string): boolean {
  const version = versionOf(source, model);
  return known === version || known === `${WITH_VECTORS}${version}`;
}
