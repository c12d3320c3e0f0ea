import {
  changesIn,
  columns,
  firstOrThrow,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { notebookNotFound } from '../domain/errors.ts';
import type { Notebook, NotebookContent } from '../domain/notebook.ts';
import type { Notebooks } from '../domain/notebooks.ts';
import { checkpointsStore } from './checkpoints-store.ts';

const notebookColumns = columns<Notebook>({
  id: 'id',
  name: 'name',
  version: 'version',
  sizeBytes: 'size_bytes',
  formatMinor: 'format_minor',
  language: 'language',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** Notebooks in PostgreSQL; their contents have a table of their own, which lists never touch. */
export function notebooksStore(database: Database): Notebooks {
  const changes = changesIn(database, recordEventsOf('notebooks'));
  return {
    add: (by, created, content) =>
      changes.add(by, created, async (trx, notebook) => {
        const { organisationId } = by;
        await trx('notebooks').insert({ ...notebookColumns.write(notebook), organisation_id: organisationId });
        await writeContent(trx, organisationId, notebook.id, content);
      }),

    get: (organisationId, notebookId) =>
      database.tenant(organisationId, (trx) => load(organisationRows(trx, organisationId, notebookId))),

    named: (organisationId, name) =>
      database.tenant(organisationId, async (trx) => {
        const query = trx('notebooks').where({ organisation_id: organisationId, name });
        const row = await query.first<object | undefined>(notebookColumns.names);
        return row && notebookColumns.read(row);
      }),

    taken: (organisationId, names) =>
      database.tenant(organisationId, async (trx) => {
        const found = trx('notebooks').where({ organisation_id: organisationId }).whereIn('name', names);
        return new Set(await found.pluck<string[]>('name'));
      }),

    getWithContent: (organisationId, notebookId) =>
      database.tenant(organisationId, async (trx) => {
        // In one query: of two, the second one might find what was saved in between.
        const row = await organisationRows(trx, organisationId, notebookId)
          .joinRaw('JOIN notebook_contents c ON c.organisation_id = notebooks.organisation_id AND c.notebook_id = id')
          .first<{ content: string } | undefined>([...notebookColumns.names, 'content']);
        if (!row) throw notebookNotFound();
        return { notebook: notebookColumns.read(row), text: row.content };
      }),

    list: (organisationId, { order, name, ...page }) =>
      database.tenant(organisationId, (trx) => {
        const query = trx('notebooks').where({ organisation_id: organisationId }).select(notebookColumns.names);
        if (name !== undefined) void query.where({ name });
        return listPage(query, page, { order, read: (rows) => rows.map(notebookColumns.read) });
      }),

    update: (by, notebookId, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(organisationRows(trx, by.organisationId, notebookId).forNoKeyUpdate()),
        save: (trx, notebook) =>
          organisationRows(trx, by.organisationId, notebookId).update(notebookColumns.write(notebook)),
      }),

    save: (by, notebookId, content, decide) => {
      let isThere = false;
      return changes.update(by, (notebook: Notebook) => decide(notebook, isThere), {
        load: async (trx) => {
          const notebook = await load(organisationRows(trx, by.organisationId, notebookId).forNoKeyUpdate());
          // Texts of different sizes need not travel to be told apart.
          isThere =
            notebook.sizeBytes === content.sizeBytes && (await hasContent(trx, by.organisationId, notebookId, content));
          return notebook;
        },
        save: async (trx, notebook) => {
          await organisationRows(trx, by.organisationId, notebookId).update(notebookColumns.write(notebook));
          await writeContent(trx, by.organisationId, notebookId, content);
        },
      });
    },

    remove: (by, notebookId, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(organisationRows(trx, by.organisationId, notebookId).forUpdate()),
        save: (trx) => organisationRows(trx, by.organisationId, notebookId).delete(),
      }),

    checkpoints: checkpointsStore(database),
  };
}

/** Contents and checkpoints go with them. */
export const removeNotebooks = (trx: Knex.Transaction, organisationId: string) =>
  trx('notebooks').where({ organisation_id: organisationId }).delete();

const organisationRows = (trx: Knex.Transaction, organisationId: string, notebookId: string) =>
  trx('notebooks').where({ 'notebooks.organisation_id': organisationId, id: notebookId });

const load = (query: Knex.QueryBuilder): Promise<Notebook> => firstOrThrow(query, notebookColumns, notebookNotFound);

async function hasContent(
  trx: Knex.Transaction,
  organisationId: string,
  notebookId: string,
  { text }: NotebookContent,
): Promise<boolean> {
  const kept = trx('notebook_contents').where({ organisation_id: organisationId, notebook_id: notebookId });
  return (await kept.where({ content: text }).first<object | undefined>('notebook_id')) !== undefined;
}

const writeContent = (trx: Knex.Transaction, organisationId: string, notebookId: string, { text }: NotebookContent) =>
  trx('notebook_contents')
    .insert({ organisation_id: organisationId, notebook_id: notebookId, content: text })
    .onConflict(['organisation_id', 'notebook_id'])
    .merge(['content']);
