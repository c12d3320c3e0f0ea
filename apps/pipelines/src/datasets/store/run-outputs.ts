import { isUuid, newId, type ActorContext } from '@platform-backend/core';
import { recordEventsOf, type Knex } from '@platform-backend/postgres';
import { addVersion, createDataset } from '../domain/change-dataset.ts';
import type { Dataset } from '../domain/dataset.ts';
import type { RunOutput } from '../domain/datasets.ts';
import { datasetColumns } from './dataset-columns.ts';
import { loadDataset, saveDataset } from './dataset-rows.ts';
import { findDataset } from './datasets-store.ts';

const record = recordEventsOf('pipelines');

/**
 * Makes versions of what a step has written, in the transaction that ends the step; a dataset that does not exist yet is
 * made with its first one. A second time for the same step of the same run changes nothing. Of an id that is gone
 * meanwhile nothing becomes. Answers which versions they are; `outdated`: one was made upon a version that is not the current one any more.
 */
export async function recordRunOutputs(
  trx: Knex.Transaction,
  by: ActorContext,
  outputs: readonly RunOutput[],
  at: Date,
) {
  const recorded = [];
  for (const output of outputs) {
    const dataset = await datasetFor(trx, by, output.dataset, at);
    if (!dataset) continue;
    const { dataset: _reference, versionId: id, runId, step, inputVersionIds, baseVersionId, ...file } = output;
    const { objectKey, rows, bytes } = file;
    recorded.push({ name: dataset.name, datasetId: dataset.id, datasetVersionId: id, objectKey, rows, bytes });
    if (await isRecorded(trx, by.organisationId, dataset.id, output)) continue;
    if (baseVersionId !== undefined && baseVersionId !== (dataset.currentVersion?.id ?? null)) return 'outdated';
    const made = { ...file, id, source: { kind: 'RUN', runId, step, inputVersionIds } as const };
    const { state, events } = addVersion(dataset, made, at);
    await record(trx, by, events);
    await saveDataset(trx, by.organisationId, state, dataset);
  }
  return recorded;
}

/** Locked, until the step has ended. */
async function datasetFor(
  trx: Knex.Transaction,
  by: ActorContext,
  reference: string,
  at: Date,
): Promise<Dataset | undefined> {
  const { organisationId } = by;
  const find = () => findDataset(trx, organisationId, reference);
  const found = await find();
  if (found) return loadDataset(trx, organisationId, found.id);
  if (isUuid(reference)) return undefined;
  const { state, events } = createDataset({ id: newId(), name: reference }, at);
  // Another run may be making it at this moment: whoever is second waits here for the first, and finds it.
  const { currentVersion: _none, ...made } = state;
  const inserted = await trx('datasets')
    .insert({ ...datasetColumns.write(made), organisation_id: organisationId })
    .onConflict()
    .ignore()
    .returning('id');
  if (inserted.length > 0) {
    await record(trx, by, events);
    return state;
  }
  const other = await find();
  return other && loadDataset(trx, organisationId, other.id);
}

const isRecorded = async (
  trx: Knex.Transaction,
  organisationId: string,
  datasetId: string,
  { runId, step }: RunOutput,
): Promise<boolean> => {
  const of = { organisation_id: organisationId, dataset_id: datasetId, run_id: runId, step };
  return (await trx('dataset_versions').where(of).first('id')) !== undefined;
};
