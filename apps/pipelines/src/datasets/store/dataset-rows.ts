import { storableJson } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import type { Dataset } from '../domain/dataset.ts';
import { UNCLAIMED_MS, VERSIONS_KEPT } from '../domain/limits.ts';
import { datasetColumns, versionColumns } from './dataset-columns.ts';

export interface DatasetRow {
  readonly id: string;
  readonly created_at: Date;
  readonly current_version: object | null;
}

/** Datasets with their current versions, each of them one row. */
export const datasetsOf = (trx: Knex.Transaction, organisationId: string): Knex.QueryBuilder<object, DatasetRow[]> =>
  trx('datasets')
    .leftJoin('dataset_versions', (join) =>
      join
        .on('dataset_versions.organisation_id', 'datasets.organisation_id')
        .on('dataset_versions.dataset_id', 'datasets.id')
        .on('dataset_versions.number', 'datasets.version_count'),
    )
    .where('datasets.organisation_id', organisationId)
    .select([
      ...datasetColumns.names.map((name) => `datasets.${name}`),
      trx.raw('to_jsonb(dataset_versions) AS current_version'),
    ]) as Knex.QueryBuilder<object, DatasetRow[]>;

export const datasetOfRow = (row: DatasetRow): Dataset => ({
  ...datasetColumns.read(row),
  currentVersion: row.current_version && versionColumns.read(row.current_version),
});

export async function loadDataset(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
): Promise<Dataset | undefined> {
  const row = await datasetsOf(trx, organisationId).where('datasets.id', id).forNoKeyUpdate('datasets').first();
  return row && datasetOfRow(row);
}

/** Writes what has changed, and notes down the objects that nothing needs any more. */
export async function saveDataset(
  trx: Knex.Transaction,
  organisationId: string,
  after: Dataset | undefined,
  before: Dataset | undefined,
): Promise<void> {
  const whose = { organisation_id: organisationId };
  const keys: string[] = [];
  const [upload, former] = [after?.upload, before?.upload];
  if (former && !former.source && !isOver(former) && (isOver(upload) || upload?.objectKey !== former.objectKey))
    keys.push(former.objectKey);
  if (!after) {
    if (before) keys.push(...(await deleteDataset(trx, organisationId, before)));
  } else if (!before) {
    await trx('datasets').insert({ ...whose, ...datasetColumns.write(after) });
  } else {
    await trx('datasets')
      .where({ ...whose, id: after.id })
      .update(datasetColumns.write(after));
  }
  if (after?.currentVersion) keys.push(...(await saveVersion(trx, organisationId, after, before)));
  await noteRemovals(trx, organisationId, keys, new Date());
}

const isOver = (upload: Dataset['upload'] | undefined): boolean =>
  !upload || upload.status === 'READY' || upload.status === 'FAILED' || upload.status === 'EXPIRED';

async function deleteDataset(trx: Knex.Transaction, organisationId: string, { id }: Dataset): Promise<string[]> {
  const versions = await trx('dataset_versions')
    .where({ organisation_id: organisationId, dataset_id: id })
    .delete()
    .returning<{ object_key: string }[]>('object_key');
  await trx('datasets').where({ organisation_id: organisationId, id }).delete();
  return versions.map(({ object_key: key }) => key);
}

/** Answers the keys of versions that are too old to be kept. */
async function saveVersion(
  trx: Knex.Transaction,
  organisationId: string,
  { id, currentVersion: version }: Dataset,
  before: Dataset | undefined,
): Promise<string[]> {
  if (!version || version === before?.currentVersion) return [];
  const versions = () => trx('dataset_versions').where({ organisation_id: organisationId, dataset_id: id });
  if (version.id === before?.currentVersion?.id) {
    await versions()
      .where({ id: version.id })
      .update({ dictionary: storableJson(version.dictionary) });
    return [];
  }
  await trx('dataset_versions').insert({ ...versionColumns.write(version), organisation_id: organisationId });
  await trx('object_removals').where({ organisation_id: organisationId, key: version.objectKey }).delete();
  const old = await versions()
    .where('number', '<=', version.number - VERSIONS_KEPT)
    .delete()
    .returning<{ object_key: string }[]>('object_key');
  return old.map(({ object_key: key }) => key);
}

/** Those of an upload may still be written to by whoever has its URL, so that it is done twice. */
export async function noteRemovals(
  trx: Knex.Transaction,
  organisationId: string,
  keys: readonly string[],
  at: Date,
): Promise<void> {
  if (keys.length === 0) return;
  const again = new Date(at.getTime() + UNCLAIMED_MS);
  await trx('object_removals')
    .insert(keys.map((key) => ({ organisation_id: organisationId, key, remove_at: at, again_at: again })))
    .onConflict()
    .ignore();
  await trx('object_removals')
    .where({ organisation_id: organisationId })
    .whereIn('key', keys)
    .update({ remove_at: at, again_at: again });
}
