import { isUuid, type Page } from '@platform-backend/core';
import { changesIn, listPage, recordEventsOf, untilFirst, type Database, type Knex } from '@platform-backend/postgres';
import type { RejectedRow } from '../../step-engine/domain/csv.ts';
import type { Dataset, DatasetVersion } from '../domain/dataset.ts';
import type { Datasets, NamedVersion } from '../domain/datasets.ts';
import { objectsOf } from '../domain/object-keys.ts';
import { datasetColumns, rejectedRowColumns, sourceColumns, versionColumns } from './dataset-columns.ts';
import { datasetOfRow, datasetsOf, loadDataset, noteRemovals, saveDataset, type DatasetRow } from './dataset-rows.ts';

/** Datasets in PostgreSQL. */
export function datasetsStore(database: Database): Datasets {
  const changes = changesIn(database, recordEventsOf('pipelines'));
  return {
    find: (organisationId, id) =>
      database.tenant(organisationId, async (trx) => {
        const row = await datasetsOf(trx, organisationId).where('datasets.id', id).first();
        return row && datasetOfRow(row);
      }),

    async findMany(organisationId, references) {
      if (references.length === 0) return new Map();
      const values = [organisationId, references.filter(isUuid), references];
      return byReference(await database.statement<DatasetRow>(organisationId, manyDatasets, values), references);
    },

    list: (organisationId, { order, search, ...page }) =>
      database.tenant(organisationId, (trx) => {
        const datasets = datasetsOf(trx, organisationId);
        // What looks like a pattern is meant as it is written.
        if (search) void datasets.whereILike('datasets.name', `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
        return listPage<DatasetRow, ReturnType<typeof datasetOfRow>>(datasets, page, {
          order,
          columns: { createdAt: 'datasets.created_at', id: 'datasets.id' },
          read: (rows) => rows.map(datasetOfRow),
        });
      }),

    change: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => loadDataset(trx, by.organisationId, id),
        save: (trx, after, before) => saveDataset(trx, by.organisationId, after, before),
      }),

    findVersion: (organisationId, id, number) =>
      database.tenant(organisationId, async (trx) => {
        const row = await versionsOf(trx, organisationId, id).where({ number }).first<object | undefined>();
        return row && versionColumns.read(row);
      }),

    listVersions: (organisationId, id, page): Promise<Page<DatasetVersion>> =>
      database.tenant(organisationId, (trx) =>
        listPage(versionsOf(trx, organisationId, id), page, {
          order: 'desc',
          read: (rows) => rows.map(versionColumns.read),
        }),
      ),

    findVersions: (organisationId, versionIds) =>
      database.tenant(organisationId, async (trx) => {
        const rows = await trx('dataset_versions')
          .join('datasets', (join) =>
            join
              .on('datasets.organisation_id', 'dataset_versions.organisation_id')
              .on('datasets.id', 'dataset_versions.dataset_id'),
          )
          .where('dataset_versions.organisation_id', organisationId)
          .whereIn('dataset_versions.id', versionIds)
          .select<NamedVersionRow[]>([
            ...['id', 'dataset_id', 'number', 'created_at', ...sourceColumns.names].map(
              (name) => `dataset_versions.${name}`,
            ),
            'datasets.name AS dataset_name',
          ]);
        return rows.map(namedVersionOf);
      }),

    recordRejectedRows: (organisationId, id, uploadId, rows) =>
      database.tenant(organisationId, async (trx) => {
        const of = { organisation_id: organisationId, dataset_id: id };
        // Of one that is deleted meanwhile nothing is kept, nor of an upload behind which another one has come.
        const latest = { organisation_id: organisationId, id, upload_id: uploadId };
        if (!(await trx('datasets').where(latest).forUpdate().first('id'))) return;
        await trx('rejected_rows').where(of).delete();
        await trx('rejected_rows').insert(
          rows.map((row) => ({ ...of, upload_id: uploadId, ...rejectedRowColumns.write(row) })),
        );
      }),

    listRejectedRows: (organisationId, id, uploadId, page) =>
      database.tenant(organisationId, (trx) => {
        const rows = trx('rejected_rows')
          .where({ organisation_id: organisationId, dataset_id: id, upload_id: uploadId })
          .select(['id', 'created_at', ...rejectedRowColumns.names]) as Knex.QueryBuilder<object, RejectedRowRow[]>;
        return listPage<RejectedRowRow, RejectedRow>(rows, page, {
          order: 'asc',
          read: (found) => found.map(rejectedRowColumns.read),
        });
      }),

    untilDue: (queue, at) => untilFirst(database, { table: 'datasets', column: DUE_AT[queue], settings: DUE }, at),

    nextDue: (queue, afterOrganisation, at, busy = []) =>
      database.system(DUE, async (trx) => {
        const first = async (after: string): Promise<DueRow | undefined> =>
          (await trx.raw<{ rows: DueRow[] }>(FIRST_DUE[queue], { after, at, busy: [...busy] })).rows[0];
        const found = (await first(afterOrganisation)) ?? (await first(''));
        return found && { organisationId: found.organisation_id, datasetId: found.id };
      }),
  };
}

/** Names of those that are read from a connection, of which nobody makes another one meanwhile; no more than anybody reads. */
export async function datasetsReadFrom(
  trx: Knex.Transaction,
  organisationId: string,
  connectionId: string,
): Promise<string[]> {
  const rows = await trx('datasets')
    .where({ organisation_id: organisationId, source_connection_id: connectionId })
    .orderBy('name')
    .limit(1_000)
    .select<{ name: string }[]>('name');
  return rows.map(({ name }) => name);
}

interface RejectedRowRow {
  readonly id: string;
  readonly created_at: Date;
}

interface DueRow {
  readonly organisation_id: string;
  readonly id: string;
}

/** Opens those of all organisations. */
const DUE = { 'app.datasets': 'due' };

const DUE_AT = { FILES: 'work_at', CONNECTIONS: 'source_work_at' } as const;

/** From organisation to organisation, until one has something that is due: one look into the index for each. */
const firstDue = (dueAt: string): string => `
  WITH RECURSIVE first_due AS (
    (SELECT organisation_id, id, ${dueAt} AS at FROM datasets WHERE ${dueAt} IS NOT NULL AND organisation_id > :after
     ORDER BY organisation_id, ${dueAt} LIMIT 1)
    UNION ALL
    SELECT next.* FROM first_due, LATERAL (
      SELECT organisation_id, id, ${dueAt} FROM datasets
      WHERE ${dueAt} IS NOT NULL AND organisation_id > first_due.organisation_id
      ORDER BY organisation_id, ${dueAt} LIMIT 1
    ) AS next WHERE first_due.at > :at OR first_due.organisation_id = ANY (:busy::text[])
  )
  SELECT organisation_id, id FROM first_due WHERE at <= :at AND organisation_id <> ALL (:busy::text[])`;
const FIRST_DUE = { FILES: firstDue(DUE_AT.FILES), CONNECTIONS: firstDue(DUE_AT.CONNECTIONS) };

/** In the reaction's transaction; the bytes are removed by and by. */
export async function removeDatasets(trx: Knex.Transaction, organisationId: string): Promise<void> {
  for (const table of ['rejected_rows', 'dataset_versions', 'datasets', 'object_removals'])
    await trx(table).where({ organisation_id: organisationId }).delete();
  await noteRemovals(trx, organisationId, [objectsOf(organisationId)], new Date());
}

/** By names and ids, as steps have them: every step asks, so that it is planned once and takes one round trip. */
const manyDatasets = {
  name: 'datasets-by-reference',
  text: `SELECT ${datasetColumns.names.map((name) => `datasets.${name}`).join(', ')}, to_jsonb(dataset_versions) AS current_version
     FROM datasets LEFT JOIN dataset_versions
       ON dataset_versions.organisation_id = datasets.organisation_id AND dataset_versions.dataset_id = datasets.id
       AND dataset_versions.number = datasets.version_count
     WHERE datasets.organisation_id = $1 AND (datasets.id = ANY ($2::uuid[])
       OR lower(datasets.name) = ANY (ARRAY (SELECT lower(name) FROM unnest($3::text[]) AS wanted (name))))`,
};

function byReference(rows: readonly DatasetRow[], references: readonly string[]): ReadonlyMap<string, Dataset> {
  const datasets = rows.map(datasetOfRow);
  const byId = new Map(datasets.map((dataset) => [dataset.id, dataset]));
  const byName = new Map(datasets.map((dataset) => [dataset.name.toLowerCase(), dataset]));
  return new Map(
    references.flatMap((reference) => {
      const found = byId.get(reference.toLowerCase()) ?? byName.get(reference.toLowerCase());
      return found ? [[reference, found] as const] : [];
    }),
  );
}

/** By its id or name. */
export async function findDataset(
  trx: Knex.Transaction,
  organisationId: string,
  reference: string,
): Promise<Dataset | undefined> {
  const rows = await datasetsOf(trx, organisationId).where((found) => {
    void found.whereRaw('lower(datasets.name) = lower(?)', [reference]);
    if (isUuid(reference)) void found.orWhere('datasets.id', reference);
  });
  return byReference(rows, [reference]).get(reference);
}

const versionsOf = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('dataset_versions')
    .where({ organisation_id: organisationId, dataset_id: id })
    .select(versionColumns.names) as unknown as Knex.QueryBuilder<object, { id: string; created_at: Date }[]>;

interface NamedVersionRow {
  readonly id: string;
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly number: number;
  readonly created_at: Date;
}

const namedVersionOf = (row: NamedVersionRow): NamedVersion => ({
  id: row.id,
  datasetId: row.dataset_id,
  datasetName: row.dataset_name,
  number: row.number,
  createdAt: row.created_at,
  source: sourceColumns.read(row),
});
