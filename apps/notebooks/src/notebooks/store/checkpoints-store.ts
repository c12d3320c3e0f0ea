import { columns, firstOrThrow, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { maxCheckpoints, type Checkpoint } from '../domain/checkpoint.ts';
import { checkpointNotFound, notebookNotFound } from '../domain/errors.ts';
import type { Checkpoints } from '../domain/notebooks.ts';

const checkpointColumns = columns<Checkpoint>({
  id: 'id',
  notebookId: 'notebook_id',
  version: 'version',
  sizeBytes: 'size_bytes',
  createdAt: 'created_at',
});

/** Contents are copied where they are and never leave the database for it. */
export const checkpointsStore = (database: Database): Checkpoints => ({
  add: (organisationId, { id, notebookId, createdAt }) =>
    database.tenant(organisationId, async (trx) => {
      const notebook = trx('notebooks').where({ organisation_id: organisationId, id: notebookId });
      const found = await notebook.forNoKeyUpdate().first<object | undefined>('id');
      if (!found) throw notebookNotFound();
      await trx.raw(
        `INSERT INTO notebook_checkpoints (id, organisation_id, notebook_id, version, size_bytes, created_at, content)
         SELECT ?, n.organisation_id, n.id, n.version, n.size_bytes, ?, c.content
         FROM notebooks n JOIN notebook_contents c ON c.organisation_id = n.organisation_id AND c.notebook_id = n.id
         WHERE n.organisation_id = ? AND n.id = ?`,
        [id, createdAt, organisationId, notebookId],
      );
      const tooMany = rows(trx, organisationId, notebookId)
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .offset(maxCheckpoints)
        .select('id');
      await rows(trx, organisationId, notebookId).whereIn('id', tooMany).delete();
      return loadCheckpoint(trx, organisationId, notebookId, id);
    }),

  list: (organisationId, notebookId, page) =>
    database.tenant(organisationId, async (trx) => {
      const notebook = trx('notebooks').where({ organisation_id: organisationId, id: notebookId });
      if (!(await notebook.first<object | undefined>('id'))) throw notebookNotFound();
      const query = rows(trx, organisationId, notebookId).select(checkpointColumns.names);
      return listPage(query, page, { order: 'desc', read: (found) => found.map(checkpointColumns.read) });
    }),

  getText: (organisationId, notebookId, checkpointId) =>
    database.tenant(organisationId, async (trx) => {
      const query = rows(trx, organisationId, notebookId).where({ id: checkpointId });
      const found = await query.first<{ content: string } | undefined>('content');
      if (!found) throw checkpointNotFound();
      return found.content;
    }),

  remove: (organisationId, notebookId, checkpointId) =>
    database.tenant(organisationId, async (trx) => {
      if ((await rows(trx, organisationId, notebookId).where({ id: checkpointId }).delete()) === 0) {
        throw checkpointNotFound();
      }
    }),
});

const rows = (trx: Knex.Transaction, organisationId: string, notebookId: string) =>
  trx('notebook_checkpoints').where({ organisation_id: organisationId, notebook_id: notebookId });

const loadCheckpoint = (trx: Knex.Transaction, organisationId: string, notebookId: string, id: string) =>
  firstOrThrow(rows(trx, organisationId, notebookId).where({ id }), checkpointColumns, checkpointNotFound);
