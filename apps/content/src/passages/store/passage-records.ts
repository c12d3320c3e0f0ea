import { storedVector, vectorOf, type mongo, type RecordOf } from '@platform-backend/mongo';
import { EVERYBODY } from '../../access/domain/opening.ts';
import type { PassageReference, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { Source, SourceKind } from '../domain/passage.ts';
import type { passageCollections } from './passage-collections.ts';

type Schemas = typeof passageCollections;

export type SourceRecord = RecordOf<Schemas['searchSources']>;
/** What it repeats of its source is read by the database alone. */
export type PassageRecord = Omit<
  RecordOf<Schemas['passages']>,
  'kind' | 'sourceId' | 'title' | 'createdAt' | 'organisationId' | 'vector' | 'nextVector'
> & { readonly vector?: mongo.Binary; readonly nextVector?: mongo.Binary };
/** By which model an organisation's questions are answered. */
export type SearchModelRecord = RecordOf<Schemas['searchModels']>;

export const keyOf = (organisationId: string, kind: SourceKind, id: string): string =>
  `${organisationId}/${kind}/${id}`;
export const passageId = ({ generation, ordinal }: PassageReference): string => `${generation}/${String(ordinal)}`;

/** Behind this one, newest first. */
export function olderThan(organisationId: string, { createdAt, kind, id }: StoredSource) {
  const key = keyOf(organisationId, kind, id);
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: key } }],
  };
}

export const fieldsOf = ({ id, collection, labels, memberIds, readers, ...fields }: Source) => ({
  ...fields,
  sourceId: id,
  ...(collection !== undefined && { collectionName: collection }),
  ...(labels && { labels: [...labels] }),
  ...(memberIds && { memberIds: [...memberIds] }),
  ...(readers && { readers: [...readers] }),
});

/** All that is said of a source: what is not said any more goes. */
export function changesTo(source: Source) {
  const { kind, title, createdAt, ...others } = fieldsOf(source);
  const optional = ['collectionName', 'mediaType', 'labels', 'memberIds', 'readers'];
  const unset = Object.fromEntries(optional.filter((name) => !(name in others)).map((name) => [name, 1 as const]));
  return { set: { kind, title, createdAt, ...others }, unset };
}

export const sourceOf = (record: SourceRecord): StoredSource => ({
  kind: record.kind,
  id: record.sourceId,
  title: record.title,
  createdAt: record.createdAt,
  generation: record.generation ?? '',
  model: record.model ?? '',
  // Of a set that the version before has put in place there are none.
  ...(record.nextModel !== undefined && record.nextGeneration === record.generation && { nextModel: record.nextModel }),
  ...(record.formerNameModel !== undefined && { formerNameModel: record.formerNameModel }),
  passages: record.passages ?? 0,
  ...(record.collectionName !== undefined && { collection: record.collectionName }),
  ...(record.mediaType !== undefined && { mediaType: record.mediaType }),
  ...(record.labels && { labels: record.labels }),
  ...(record.memberIds && { memberIds: record.memberIds }),
  ...(record.readers && { readers: record.readers }),
});

/** Whether the name of a source is part of what its passages are embedded as. */
export const isEmbeddedByName = ({ kind }: Pick<Source, 'kind'>): boolean => kind !== 'MESSAGE';

/** Vectors that were made while it was called otherwise are to be made anew, by whichever model answers. */
export const renamed = (model: string) => ({
  set: { model: '', formerNameModel: model },
  unset: { nextModel: 1, nextGeneration: 1 } as const,
});

/** What passages repeat of their source, for filters of MongoDB's own search. */
export function repeatedOf(source: Source) {
  const { set, unset } = changesTo(source);
  const {
    memberIds,
    readers = memberIds ?? [EVERYBODY],
    ...others
  } = set as typeof set & Pick<Source, 'memberIds' | 'readers'>;
  const { memberIds: _members, readers: _everybody, ...gone } = unset;
  return { set: { ...others, readers: [...readers] }, unset: gone };
}

export const recordOf = (source: string, generation: string, { vector, ...passage }: StoredPassage): PassageRecord => ({
  ...passage,
  _id: passageId({ generation, ordinal: passage.ordinal }),
  source,
  generation,
  ...(vector && { vector: storedVector(vector) }),
});

export const passageOf = ({
  ordinal,
  text,
  page,
  heading,
  start,
  end,
  vector,
  model,
  embeddedName,
  nextVector,
  nextModel,
  nextEmbeddedName,
}: PassageRecord): StoredPassage => ({
  ordinal,
  text,
  start,
  end,
  ...(page !== undefined && { page }),
  ...(heading !== undefined && { heading }),
  ...(vector && { vector: vectorOf(vector) }),
  ...(model !== undefined && { model }),
  ...(embeddedName !== undefined && { embeddedName }),
  ...(nextVector &&
    nextModel !== undefined && {
      next: {
        ...{ vector: vectorOf(nextVector), model: nextModel },
        ...(nextEmbeddedName !== undefined && { embeddedName: nextEmbeddedName }),
      },
    }),
});
