import type { Clock } from '@platform-backend/core';
import type { DatasetFiles } from '../domain/datasets/dataset-files.ts';
import type { KeptOutput } from '../domain/datasets/dataset-steps.ts';
import type { ObjectRemovals } from '../domain/datasets/datasets.ts';
import { UNCLAIMED_MS } from '../domain/datasets/limits.ts';
import { versionKey } from '../domain/datasets/object-keys.ts';
import type { WrittenOutput } from '../domain/steps/step-job.ts';

export interface KeepPorts {
  readonly files: DatasetFiles;
  readonly removals: ObjectRemovals;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Brings what a step wrote into the object store. */
export async function keepOutput(
  { files, removals, clock, newId }: KeepPorts,
  organisationId: string,
  { file, ...written }: WrittenOutput,
): Promise<KeptOutput> {
  const versionId = newId();
  const objectKey = versionKey(organisationId, versionId);
  // Noted down first: should nobody take it, because somebody dies or comes too late, it is removed.
  await removals.note(organisationId, objectKey, new Date(clock.now().getTime() + UNCLAIMED_MS));
  const { bytes, checksum } = await files.keep(objectKey, file);
  return { ...written, bytes, versionId, objectKey, checksum };
}
