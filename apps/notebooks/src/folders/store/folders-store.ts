import { changesIn, columns, recordEventsOf, type Database, type Knex } from '@platform-backend/postgres';
import { notebookNotFound } from '../../notebooks/domain/errors.ts';
import type { Folder, FolderEntry, FolderStep } from '../domain/folder.ts';
import type { Folders } from '../domain/folders.ts';

const entryColumns = columns<FolderEntry>({
  path: 'path',
  kind: 'kind',
  sizeBytes: 'size_bytes',
  digest: 'digest',
  updatedAt: 'updated_at',
});

/** Folders of notebooks in PostgreSQL; the bytes of files have a table of their own, which lists never touch. */
export function foldersStore(database: Database): Folders {
  const changes = changesIn(database, recordEventsOf('notebooks'));
  return {
    list: (organisationId, notebookId, { limit, cursor, includeTotal, folder }) =>
      database.tenant(organisationId, async (trx) => {
        await requireNotebook(trx, organisationId, notebookId);
        const query = entries(trx, organisationId, notebookId);
        // A prefix as a range of paths, which are in the order of their bytes.
        if (folder !== undefined) void query.where('path', '>', `${folder}/`).where('path', '<', `${folder}0`);
        const total = includeTotal ? await query.clone().count<{ count: string }[]>() : undefined;
        if (cursor !== '') void query.where('path', '>', cursor);
        const rows = await query
          .orderBy('path')
          .limit(limit + 1)
          .select<object[]>(entryColumns.names);
        const items = rows.slice(0, limit).map(entryColumns.read);
        return {
          items,
          nextCursor: rows.length > limit ? (items.at(-1)?.path ?? '') : '',
          ...(total && { total: Number(total[0]?.count) }),
        };
      }),

    all: (organisationId, notebookId) =>
      database.tenant(organisationId, async (trx) => {
        await requireNotebook(trx, organisationId, notebookId);
        return readEntries(trx, organisationId, notebookId);
      }),

    file: (organisationId, notebookId, path) =>
      database.tenant(organisationId, async (trx) => {
        // In one query: of two, the second one might find what was saved in between.
        const row = await entries(trx, organisationId, notebookId)
          .leftJoin('notebook_file_contents as c', (join) =>
            join
              .on('c.organisation_id', 'notebook_files.organisation_id')
              .andOn('c.notebook_id', 'notebook_files.notebook_id')
              .andOn('c.path', 'notebook_files.path'),
          )
          .where({ 'notebook_files.path': path })
          .first<{ content: Buffer | null } | undefined>([
            ...entryColumns.names.map((name) => `notebook_files.${name}`),
            'c.content',
          ]);
        if (row) return { entry: entryColumns.read(row), bytes: row.content ?? Buffer.alloc(0) };
        await requireNotebook(trx, organisationId, notebookId);
        return undefined;
      }),

    update: (by, notebookId, decide) =>
      changes.update(by, decide, {
        async load(trx): Promise<Folder> {
          const { organisationId } = by;
          await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('folders of ' || ?, 0))`, [organisationId]);
          // It is not deleted meanwhile.
          await requireNotebook(trx, organisationId, notebookId, (query) => query.forKeyShare());
          const found = await readEntries(trx, organisationId, notebookId);
          const [others] = await trx('notebook_files')
            .where({ organisation_id: organisationId })
            .whereNot({ notebook_id: notebookId })
            .sum<{ bytes: string | null }[]>({ bytes: 'size_bytes' });
          return {
            notebookId,
            entries: new Map(found.map((entry) => [entry.path, entry])),
            otherBytes: Number(others?.bytes ?? 0),
            steps: [],
          };
        },
        async save(trx, { steps }) {
          for (const step of steps) await take(trx, by.organisationId, notebookId, step);
        },
      }),
  };
}

const entries = (trx: Knex.Transaction, organisationId: string, notebookId: string) =>
  trx('notebook_files').where({
    'notebook_files.organisation_id': organisationId,
    'notebook_files.notebook_id': notebookId,
  });

async function readEntries(trx: Knex.Transaction, organisationId: string, notebookId: string) {
  const rows = await entries(trx, organisationId, notebookId).orderBy('path').select<object[]>(entryColumns.names);
  return rows.map(entryColumns.read);
}

async function requireNotebook(
  trx: Knex.Transaction,
  organisationId: string,
  notebookId: string,
  locked: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<void> {
  const query = trx('notebooks').where({ organisation_id: organisationId, id: notebookId });
  if (!(await locked(query).first<object | undefined>('id'))) throw notebookNotFound();
}

async function take(
  trx: Knex.Transaction,
  organisationId: string,
  notebookId: string,
  step: FolderStep,
): Promise<void> {
  const key = { organisation_id: organisationId, notebook_id: notebookId };
  // Contents go with their files.
  const within = (path: string) =>
    trx('notebook_files')
      .where(key)
      .whereRaw('(path = ? OR path > ? AND path < ?)', [path, `${path}/`, `${path}0`]);
  if ('removed' in step) {
    await within(step.removed).delete();
  } else {
    const { entry, bytes } = step;
    const row = { ...key, ...entryColumns.write(entry) };
    await trx('notebook_files').insert(row).onConflict(['organisation_id', 'notebook_id', 'path']).merge();
    if (!bytes) return;
    await trx('notebook_file_contents')
      .insert({ ...key, path: entry.path, content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) })
      .onConflict(['organisation_id', 'notebook_id', 'path'])
      .merge(['content']);
  }
}
