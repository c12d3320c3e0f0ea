import { advisoryLock, columns, type Knex } from '@platform-backend/postgres';
import { notebookNotFound } from '../../notebooks/domain/errors.ts';
import type { Folder, FolderEntry } from '../domain/folder.ts';

export const entryColumns = columns<FolderEntry>({
  path: 'path',
  kind: 'kind',
  sizeBytes: 'size_bytes',
  digest: 'digest',
  updatedAt: 'updated_at',
});

/** Nobody else changes a folder of the organisation until the end of the transaction. */
export const lockFolders = (trx: Knex.Transaction, organisationId: string) =>
  advisoryLock(trx, `folders of ${organisationId}`);

/** While nobody else changes a folder of the organisation. */
export async function loadFolder(trx: Knex.Transaction, organisationId: string, notebookId: string): Promise<Folder> {
  await lockFolders(trx, organisationId);
  // It is not deleted meanwhile.
  await requireNotebook(trx, organisationId, notebookId, (query) => query.forKeyShare());
  const found = await readEntries(trx, organisationId, notebookId);
  // Of this notebook exactly, of the others as they were counted last.
  const { rows } = await trx.raw<{ rows: { checkpoints: string; others: string }[] }>(
    `SELECT
       (SELECT coalesce(sum(size_bytes), 0) FROM notebook_file_checkpoints WHERE organisation_id = :organisationId AND notebook_id = :notebookId)
         AS checkpoints,
       (SELECT coalesce(sum(folder_bytes), 0) FROM notebooks
        WHERE organisation_id = :organisationId AND folder_bytes > 0 AND id <> :notebookId) AS others`,
    { organisationId, notebookId },
  );
  return {
    notebookId,
    entries: new Map(found.map((entry) => [entry.path, entry])),
    checkpointBytes: Number(rows[0]?.checkpoints),
    otherBytes: Number(rows[0]?.others),
    steps: [],
  };
}

/** After its files or checkpoints have changed, while nobody else changes a folder of the organisation. */
export const countFolder = (trx: Knex.Transaction, organisationId: string, notebookId: string) =>
  trx.raw(
    `UPDATE notebooks SET folder_bytes =
       (SELECT coalesce(sum(size_bytes), 0) FROM notebook_files WHERE organisation_id = :organisationId AND notebook_id = :notebookId)
       + (SELECT coalesce(sum(size_bytes), 0) FROM notebook_file_checkpoints
          WHERE organisation_id = :organisationId AND notebook_id = :notebookId)
     WHERE organisation_id = :organisationId AND id = :notebookId`,
    { organisationId, notebookId },
  );

export const entries = (trx: Knex.Transaction, organisationId: string, notebookId: string) =>
  trx('notebook_files').where({
    'notebook_files.organisation_id': organisationId,
    'notebook_files.notebook_id': notebookId,
  });

export async function readEntries(trx: Knex.Transaction, organisationId: string, notebookId: string) {
  const rows = await entries(trx, organisationId, notebookId).orderBy('path').select<object[]>(entryColumns.names);
  return rows.map(entryColumns.read);
}

export async function requireNotebook(
  trx: Knex.Transaction,
  organisationId: string,
  notebookId: string,
  locked: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<void> {
  const query = trx('notebooks').where({ organisation_id: organisationId, id: notebookId });
  if (!(await locked(query).first<object | undefined>('id'))) throw notebookNotFound();
}
