import type { ActorContext } from '@platform-backend/core';
import type { DatasetVersion } from '../domain/dataset.ts';
import type { Datasets, NamedVersion } from '../domain/datasets.ts';

/** Of one answer. */
const MAX_VERSIONS = 500;

export interface Lineage {
  /** The one that was asked for first; each of the others is an input of one before. */
  readonly versions: readonly NamedVersion[];
  readonly isCut: boolean;
}

/** From a version back to the uploads that it was made from, generation by generation: one query for each. */
export async function lineageOf(
  { findVersions }: Pick<Datasets, 'findVersions'>,
  { organisationId }: ActorContext,
  { id }: Pick<DatasetVersion, 'id'>,
): Promise<Lineage> {
  const found = new Map<string, NamedVersion>();
  let next = [id];
  while (next.length > 0) {
    const room = MAX_VERSIONS - found.size;
    if (room <= 0) return { versions: [...found.values()], isCut: true };
    const isCut = next.length > room;
    const generation = await findVersions(organisationId, next.slice(0, room));
    for (const version of generation) found.set(version.id, version);
    if (isCut) return { versions: [...found.values()], isCut };
    next = [...new Set(generation.flatMap(inputsOf))].filter((version) => !found.has(version));
  }
  return { versions: [...found.values()], isCut: false };
}

const inputsOf = ({ source }: Pick<NamedVersion, 'source'>): readonly string[] =>
  source.kind === 'RUN' ? source.inputVersionIds : [];
