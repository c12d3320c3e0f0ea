import { columns, type Database, type Knex } from '@platform-backend/postgres';
import type { FileCheckpoint, FileCheckpoints } from '../domain/folders.ts';
import { countFolder, loadFolder, lockFolders, requireNotebook } from './folder-rows.ts';

const checkpointColumns = columns<FileCheckpoint>({ id: 'id', sizeBytes: 'size_bytes', createdAt: 'created_at' });

/** Bytes are copied where they are and never leave the database for it. */
export const fileCheckpointsStore = (database: Database): FileCheckpoints => ({
  keep: (organisationId, { notebookId, path }, { id, createdAt }, check) =>
    database.tenant(organisationId, async (trx) => {
      const folder = await loadFolder(trx, organisationId, notebookId);
      const entry = folder.entries.get(path);
      if (entry?.kind !== 'FILE') return undefined;
      const former = await find(trx, organisationId, notebookId, path);
      check(folder, entry, former?.sizeBytes ?? 0);
      await trx.raw(
        `INSERT INTO notebook_file_checkpoints (organisation_id, notebook_id, path, id, size_bytes, created_at, content)
         SELECT organisation_id, notebook_id, path, ?, octet_length(content), ?, content FROM notebook_file_contents
         WHERE organisation_id = ? AND notebook_id = ? AND path = ?
         ON CONFLICT (organisation_id, notebook_id, path) DO UPDATE
         SET id = excluded.id, size_bytes = excluded.size_bytes, created_at = excluded.created_at, content = excluded.content`,
        [id, createdAt, organisationId, notebookId, path],
      );
      await countFolder(trx, organisationId, notebookId);
      return { id, sizeBytes: entry.sizeBytes, createdAt };
    }),

  find: (organisationId, notebookId, path) =>
    database.tenant(organisationId, async (trx) => {
      await requireNotebook(trx, organisationId, notebookId);
      return find(trx, organisationId, notebookId, path);
    }),

  bytes: (organisationId, { notebookId, path }, checkpointId) =>
    database.tenant(organisationId, async (trx) => {
      const query = rows(trx, organisationId, notebookId, path).where({ id: checkpointId });
      return (await query.first<{ content: Buffer } | undefined>('content'))?.content;
    }),

  remove: (organisationId, { notebookId, path }, checkpointId) =>
    database.tenant(organisationId, async (trx) => {
      await lockFolders(trx, organisationId);
      // Before its checkpoint, as whoever deletes the notebook does.
      await trx('notebooks').where({ organisation_id: organisationId, id: notebookId }).forKeyShare().first('id');
      const removed = await rows(trx, organisationId, notebookId, path).where({ id: checkpointId }).delete();
      if (removed > 0) await countFolder(trx, organisationId, notebookId);
      return removed > 0;
    }),
});

const rows = (trx: Knex.Transaction, organisationId: string, notebookId: string, path: string) =>
  trx('notebook_file_checkpoints').where({ organisation_id: organisationId, notebook_id: notebookId, path });

async function find(trx: Knex.Transaction, organisationId: string, notebookId: string, path: string) {
  const row = await rows(trx, organisationId, notebookId, path).first<object | undefined>(checkpointColumns.names);
  return row && checkpointColumns.read(row);
}
