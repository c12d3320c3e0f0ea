import { columns, type Knex } from '@platform-backend/postgres';
import { notebookNotFound } from '../../notebooks/domain/errors.ts';
import type { Folder, FolderEntry } from '../domain/folder.ts';

export const entryColumns = columns<FolderEntry>({
  path: 'path',
  kind: 'kind',
  sizeBytes: 'size_bytes',
  digest: 'digest',
  updatedAt: 'updated_at',
});

/** While nobody else changes a folder of the organisation. */
export async function loadFolder(trx: Knex.Transaction, organisationId: string, notebookId: string): Promise<Folder> {
  await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('folders of ' || ?, 0))`, [organisationId]);
  // It is not deleted meanwhile.
  await requireNotebook(trx, organisationId, notebookId, (query) => query.forKeyShare());
  const found = await readEntries(trx, organisationId, notebookId);
  const bytesIn = async (table: string): Promise<ReadonlyMap<boolean, number>> => {
    const { rows } = await trx.raw<{ rows: { is_own: boolean; bytes: string }[] }>(
      'SELECT notebook_id = ? AS is_own, sum(size_bytes) AS bytes FROM ?? WHERE organisation_id = ? GROUP BY 1',
      [notebookId, table, organisationId],
    );
    return new Map(rows.map(({ is_own: isOwn, bytes }) => [isOwn, Number(bytes)]));
  };
  const files = await bytesIn('notebook_files');
  const checkpoints = await bytesIn('notebook_file_checkpoints');
  return {
    notebookId,
    entries: new Map(found.map((entry) => [entry.path, entry])),
    checkpointBytes: checkpoints.get(true) ?? 0,
    otherBytes: (files.get(false) ?? 0) + (checkpoints.get(false) ?? 0),
    steps: [],
  };
}

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
