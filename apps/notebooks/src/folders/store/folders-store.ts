import { changesIn, recordEventsOf, type Database, type Knex } from '@platform-backend/postgres';
import type { FolderStep } from '../domain/folder.ts';
import type { Folders } from '../domain/folders.ts';
import { fileCheckpointsStore } from './file-checkpoints-store.ts';
import { countFolder, entries, entryColumns, loadFolder, readEntries, requireNotebook } from './folder-rows.ts';

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
        load: (trx) => loadFolder(trx, by.organisationId, notebookId),
        async save(trx, { steps }) {
          for (const step of steps) await take(trx, by.organisationId, notebookId, step);
          await countFolder(trx, by.organisationId, notebookId);
        },
      }),

    checkpoints: fileCheckpointsStore(database),
  };
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
  } else if ('moved' in step) {
    // What belongs to the files goes with them.
    await within(step.moved).update({
      path: trx.raw('? || substr(path, length(?) + 1)', [step.to, step.moved]),
    });
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
