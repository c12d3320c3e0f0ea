import { storedVector, vectorOf, type mongo } from '@platform-backend/mongo';
import { EVERYBODY } from '../../access/domain/opening.ts';
import type { PassageReference, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { Passage, Source, SourceKind } from '../domain/passage.ts';

/** A source as it is stored, see `passage-collections.ts`. */
export interface SourceRecord {
  readonly _id: string;
  readonly organisationId: string;
  readonly kind: SourceKind;
  readonly sourceId: string;
  readonly title: string;
  readonly createdAt: Date;
  readonly collectionName?: string;
  readonly mediaType?: string;
  readonly labels?: readonly string[];
  readonly memberIds?: readonly string[];
  readonly readers?: readonly string[];
  readonly isPresent: boolean;
  readonly generation?: string;
  readonly model?: string;
  readonly nextModel?: string;
  readonly nextGeneration?: string;
  readonly passages?: number;
  readonly changedAt: Date;
  readonly removedAt?: Date;
  readonly latest: string;
  readonly pending?: readonly { readonly generation: string; readonly since: Date }[];
  readonly takenUntil: Date;
  readonly takenBy?: string;
  readonly refusals?: number;
}

/** A passage as it is stored; what it repeats of its source is read by the database alone. */
export interface PassageRecord extends Passage {
  readonly _id: string;
  readonly source: string;
  readonly generation: string;
  readonly vector?: mongo.Binary;
  readonly model?: string;
  readonly nextVector?: mongo.Binary;
  readonly nextModel?: string;
}

/** By which model an organisation's questions are answered. */
export interface SearchModelRecord {
  readonly _id: string;
  readonly organisationId: string;
  readonly model: string;
  readonly hasOthers?: boolean;
}

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
  passages: record.passages ?? 0,
  ...(record.collectionName !== undefined && { collection: record.collectionName }),
  ...(record.mediaType !== undefined && { mediaType: record.mediaType }),
  ...(record.labels && { labels: record.labels }),
  ...(record.memberIds && { memberIds: record.memberIds }),
  ...(record.readers && { readers: record.readers }),
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
  nextVector,
  nextModel,
}: PassageRecord): StoredPassage => ({
  ordinal,
  text,
  start,
  end,
  ...(page !== undefined && { page }),
  ...(heading !== undefined && { heading }),
  ...(vector && { vector: vectorOf(vector) }),
  ...(model !== undefined && { model }),
  ...(nextVector && nextModel !== undefined && { next: { vector: vectorOf(nextVector), model: nextModel } }),
});
