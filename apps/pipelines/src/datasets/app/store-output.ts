import { newId, type Clock } from '@platform-backend/core';
import type { StepReport } from '../../step-engine/domain/step-job.ts';
import type { DatasetFiles } from '../domain/dataset-files.ts';
import type { DatasetStepReport } from '../domain/dataset-steps.ts';
import type { ObjectRemovals } from '../domain/datasets.ts';
import { UNCLAIMED_MS } from '../domain/limits.ts';
import { versionKey } from '../domain/object-keys.ts';

export interface StoreOutputPorts {
  readonly files: DatasetFiles;
  readonly removals: ObjectRemovals;
  readonly clock: Clock;
}

/** Brings what a step wrote to this file into the object store. */
export async function storeOutput(
  { files, removals, clock }: StoreOutputPorts,
  organisationId: string,
  { output, ...report }: StepReport,
  file: string,
): Promise<DatasetStepReport> {
  if (!output) return { ...report, output };
  const versionId = newId();
  const objectKey = versionKey(organisationId, versionId);
  // Noted down first: should nobody take it, because somebody dies or comes too late, it is removed.
  await removals.note(organisationId, objectKey, new Date(clock.now().getTime() + UNCLAIMED_MS));
  const { bytes, checksum } = await files.keep(objectKey, file);
  return { ...report, output: { ...output, bytes, versionId, objectKey, checksum } };
}
