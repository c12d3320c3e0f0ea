import { DomainError, type ActorContext } from '@platform-backend/core';
import type { FolderUseCases } from '../../folders/app/folders.ts';
import { fileNotFound, notAFilePath } from '../../folders/domain/errors.ts';
import type { FolderEntry } from '../../folders/domain/folder.ts';
import type { NotebookUseCases } from '../../notebooks/app/notebooks.ts';
import { notebookNotFound, notContents, onlyNotebooks } from '../../notebooks/domain/errors.ts';
import { emptyNotebook, type Notebook } from '../../notebooks/domain/notebook.ts';
import {
  contentsPath,
  copyNames,
  ENDING,
  hasVisibleFolder,
  numbered,
  type ContentsPath,
} from '../domain/contents-path.ts';
import { folderOfNotebook, notThisContent, tooManyUntitled } from '../domain/errors.ts';

/** Of the outermost folder. */
const MAX_NOTEBOOKS = 1_000;
const PAGE = 200;
const MAX_TRIED = 1_000;
const MAX_NAME = 255;
/** What notebooks are called that nobody has given a name. */
const untitled = numbered('Untitled', '', '', MAX_TRIED);
/** And those that are copied. */
const copiesOf = (name: string): readonly string[] => {
  const stem = name
    .replace(/-Copy\d*$/, '')
    .slice(0, MAX_NAME - '-Copy1000'.length)
    .toWellFormed();
  return numbered(stem, '', '-Copy', MAX_TRIED + 1).slice(1);
};

/** A notebook, its folder, or what lies in one, at its path. */
export type ContentsItem =
  | { readonly kind: 'notebook'; readonly path: string; readonly notebook: Notebook }
  | { readonly kind: 'folder'; readonly path: string; readonly notebook: Notebook }
  | { readonly kind: 'entry'; readonly path: string; readonly entry: FolderEntry };

/** With what is in it. */
export type OpenedContents =
  /** A notebook, as JSON. */
  | { readonly item: ContentsItem; readonly json: string }
  | { readonly item: ContentsItem; readonly bytes: Uint8Array }
  | { readonly item: ContentsItem; readonly items: readonly ContentsItem[] };

export interface ContentsCheckpoint {
  readonly id: string;
  readonly createdAt: Date;
}

export interface NewContents {
  readonly type: string;
  /** Of the name of a file. */
  readonly ext: string;
  readonly copyFrom: string | undefined;
}

const itemOf = (notebook: Notebook): ContentsItem => ({
  kind: 'notebook',
  path: `${notebook.name}${ENDING}`,
  notebook,
});
const folderItem = (notebook: Notebook): ContentsItem => ({ kind: 'folder', path: notebook.name, notebook });
const entryItem = ({ name }: Pick<Notebook, 'name'>, entry: FolderEntry): ContentsItem => ({
  kind: 'entry',
  path: `${name}/${entry.path}`,
  entry,
});

export type ContentsUseCases = ReturnType<typeof contentsUseCases>;

/** Notebooks and the files of their folders, as those of a Jupyter Server. */
export function contentsUseCases(app: NotebookUseCases, folders: FolderUseCases) {
  /** NOT_FOUND: there is no notebook of this name. */
  const named = async (organisationId: string, name: string): Promise<Notebook> => {
    const notebook = await app.notebookNamed(organisationId, name);
    if (!notebook) throw notebookNotFound();
    return notebook;
  };

  const entryAt = async (organisationId: string, notebookId: string, path: string): Promise<FolderEntry> => {
    const entry = (await folders.allFiles(organisationId, notebookId)).find((one) => one.path === path);
    if (!entry) throw fileNotFound();
    return entry;
  };

  /** What is there, without what is in it. NOT_FOUND: nothing. */
  const find = async (organisationId: string, at: PathOfSomething): Promise<ContentsItem> => {
    const notebook = await named(organisationId, at.name);
    if (at.kind === 'notebook') return itemOf(notebook);
    if (at.kind === 'folder') return folderItem(notebook);
    return entryItem(notebook, await entryAt(organisationId, notebook.id, at.path));
  };

  /** What lies directly in a folder, or in one within it. */
  const within = async (organisationId: string, notebook: Notebook, folder: string): Promise<ContentsItem[]> => {
    const start = folder === '' ? '' : `${folder}/`;
    const entries = await folders.allFiles(organisationId, notebook.id);
    return entries
      .filter(({ path }) => path.startsWith(start) && !path.slice(start.length).includes('/'))
      .map((entry) => entryItem(notebook, entry));
  };

  const fileIn = async (organisationId: string, { id }: Notebook, path: string) => {
    const file = await folders.getFile(organisationId, id, path);
    if (file.entry.kind === 'FOLDER') throw fileNotFound();
    return file;
  };

  /** The first of these names that is free, also of many that are asked for at once. */
  const underFreeName = async <Result>(
    names: readonly string[],
    isTaken: (error: unknown) => boolean,
    make: (name: string) => Promise<Result>,
  ): Promise<Result> => {
    for (const name of names) {
      try {
        return await make(name);
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    }
    throw tooManyUntitled();
  };

  const createNotebook = async (
    by: ActorContext,
    names: readonly string[],
    make: (name: string) => Promise<Notebook>,
  ) => {
    const taken = await app.takenNames(by.organisationId, names);
    const free = names.filter((one) => !taken.has(one));
    return itemOf(await underFreeName(free, (error) => isCode(error, 'notebook_name_taken'), make));
  };

  /** Of what may be copied into a folder. */
  const copied = async (
    by: ActorContext,
    from: string,
  ): Promise<{ readonly name: string; readonly bytes: Uint8Array }> => {
    const at = required(from);
    const notebook = await named(by.organisationId, at.name);
    if (at.kind === 'notebook') {
      const { text } = await app.getNotebook(by.organisationId, notebook.id);
      return { name: `${at.name}${ENDING}`, bytes: Buffer.from(text) };
    }
    if (at.kind === 'folder') throw notThisContent({ reason: 'A folder is not copied' });
    const { entry, bytes } = await folders.getFile(by.organisationId, notebook.id, at.path);
    if (entry.kind === 'FOLDER') throw notThisContent({ reason: 'A folder is not copied' });
    return { name: at.path.split('/').at(-1) ?? '', bytes };
  };

  return {
    async listRoot(organisationId: string): Promise<readonly ContentsItem[]> {
      const found: Notebook[] = [];
      let cursor = '';
      do {
        const page = { limit: PAGE, cursor, includeTotal: false, order: 'desc' } as const;
        const { items, nextCursor } = await app.listNotebooks(organisationId, page);
        found.push(...items);
        cursor = nextCursor;
      } while (cursor !== '' && found.length < MAX_NOTEBOOKS);
      return found.flatMap((notebook) =>
        hasVisibleFolder(notebook.name) ? [itemOf(notebook), folderItem(notebook)] : [itemOf(notebook)],
      );
    },

    find: (organisationId: string, path: string) => find(organisationId, required(path)),

    /** `isText`: a notebook in a folder is the text that it is, and need not be one. */
    async open(organisationId: string, path: string, isText: boolean): Promise<OpenedContents> {
      const at = required(path);
      const notebook = await named(organisationId, at.name);
      if (at.kind === 'notebook') {
        const { text, notebook: opened } = await app.getNotebook(organisationId, notebook.id);
        return { item: itemOf(opened), json: text };
      }
      if (at.kind === 'folder')
        return { item: folderItem(notebook), items: await within(organisationId, notebook, '') };
      const { entry, bytes } = await folders.getFile(organisationId, notebook.id, at.path);
      const item = entryItem(notebook, entry);
      if (entry.kind === 'FOLDER') return { item, items: await within(organisationId, notebook, at.path) };
      if (isText || !entry.path.endsWith(ENDING)) return { item, bytes };
      return { item, json: (await app.contentOfFile({ organisationId }, bytes)).text };
    },

    /** The bytes of a file or a notebook, and what it is called. */
    async download(organisationId: string, path: string) {
      const at = required(path);
      const notebook = await named(organisationId, at.name);
      if (at.kind === 'folder') throw fileNotFound();
      if (at.kind === 'entry') {
        const { bytes } = await fileIn(organisationId, notebook, at.path);
        return { name: at.path.split('/').at(-1) ?? '', bytes, isNotebook: false };
      }
      const { text } = await app.getNotebook(organisationId, notebook.id);
      return { name: `${at.name}${ENDING}`, bytes: Buffer.from(text), isNotebook: true };
    },

    /** Among the notebooks. */
    async create(by: ActorContext, type: string, copyFrom: string | undefined): Promise<ContentsItem> {
      if (copyFrom === undefined) {
        if (type !== '' && type !== 'notebook') throw onlyNotebooks();
        return createNotebook(by, untitled, (name) => app.createNotebook(by, name, null));
      }
      const at = required(copyFrom);
      if (at.kind === 'notebook') {
        const { id } = await named(by.organisationId, at.name);
        return createNotebook(by, copiesOf(at.name), (name) => app.copyNotebook(by, name, id));
      }
      const { name: from, bytes } = await copied(by, copyFrom);
      if (!from.endsWith(ENDING)) throw onlyNotebooks();
      const stem = from.slice(0, -ENDING.length);
      const names = stem === '' ? untitled : [stem, ...copiesOf(stem)];
      return createNotebook(by, names, (name) => app.importNotebook(by, name, bytes));
    },

    /** In the folder of a notebook. */
    async createIn(by: ActorContext, folder: string, { type, ext, copyFrom }: NewContents): Promise<ContentsItem> {
      const at = required(folder);
      if (at.kind === 'notebook') throw fileNotFound();
      const notebook = await named(by.organisationId, at.name);
      if (at.kind === 'entry' && (await entryAt(by.organisationId, notebook.id, at.path)).kind !== 'FOLDER')
        throw fileNotFound();
      const start = at.kind === 'entry' ? `${at.path}/` : '';
      const make = async (names: readonly string[], one: (path: string) => Promise<FolderEntry>) => {
        const taken = new Set((await folders.allFiles(by.organisationId, notebook.id)).map(({ path }) => path));
        const free = names.map((name) => start + name).filter((path) => !taken.has(path));
        return entryItem(notebook, await underFreeName(free, (error) => isCode(error, 'file_path_taken'), one));
      };
      const save = (bytes: Uint8Array) => (path: string) =>
        folders.saveFile(by, notebook.id, path, bytes, { isNew: true });
      if (copyFrom !== undefined) {
        const { name, bytes } = await copied(by, copyFrom);
        return make(copyNames(name, MAX_TRIED), save(bytes));
      }
      if (type === 'directory')
        return make(numbered('Untitled Folder', '', ' ', MAX_TRIED), (path) =>
          folders.makeFolder(by, notebook.id, path, true),
        );
      if (type === 'notebook')
        return make(numbered('Untitled', ENDING, '', MAX_TRIED), save(Buffer.from(emptyNotebook.text)));
      if (type !== '' && type !== 'file')
        throw notThisContent({ reason: 'There are notebooks, files and directories' });
      if (ext.includes('/')) throw notAFilePath({ reason: 'its ending has a slash in it' });
      return make(
        numbered('untitled', ext === '' || ext.startsWith('.') ? ext : `.${ext}`, '', MAX_TRIED),
        save(new Uint8Array()),
      );
    },

    /** `bytes`: JSON, as a Jupyter client sends it. */
    async save(by: ActorContext, path: string, bytes: Uint8Array): Promise<ContentsItem> {
      const at = target(path);
      const saved = await app.readSaved(by, bytes);
      if (at.kind === 'notebook') {
        if ('directory' in saved) throw onlyNotebooks();
        if ('notebook' in saved) return itemOf(await app.saveNamed(by, at.name, saved.notebook));
        if (saved.chunk !== undefined) throw notContents();
        return itemOf(await app.saveNamed(by, at.name, await app.contentOfFile(by, saved.file)));
      }
      if (at.kind === 'folder' && !('directory' in saved)) throw onlyNotebooks();
      const notebook = await named(by.organisationId, at.name);
      if (at.kind === 'folder') return folderItem(notebook);
      const save = async (file: Uint8Array) =>
        entryItem(notebook, await folders.saveFile(by, notebook.id, at.path, file));
      if ('directory' in saved) return entryItem(notebook, await folders.makeFolder(by, notebook.id, at.path, false));
      if ('file' in saved) {
        if (saved.chunk === undefined || saved.chunk === 1) return save(saved.file);
        return entryItem(notebook, await folders.appendToFile(by, notebook.id, at.path, saved.file));
      }
      if (saved.notebook) return save(Buffer.from(saved.notebook.text));
      const known = await folders.findFile(by.organisationId, notebook.id, at.path);
      return known ? entryItem(notebook, known.entry) : save(Buffer.from(emptyNotebook.text));
    },

    async rename(by: ActorContext, from: string, to: string): Promise<ContentsItem> {
      const at = required(from);
      const wanted = target(to);
      const notebook = await named(by.organisationId, at.name);
      if (at.kind === 'notebook') {
        if (wanted.kind !== 'notebook') throw onlyNotebooks();
        return itemOf(await app.renameNotebook(by, notebook.id, wanted.name));
      }
      if (at.kind === 'folder') throw folderOfNotebook({ name: at.name });
      if (wanted.kind !== 'entry') throw onlyNotebooks();
      if (wanted.name === at.name)
        return entryItem(notebook, await folders.moveFile(by, notebook.id, at.path, wanted.path));
      const { entry, bytes } = await folders.getFile(by.organisationId, notebook.id, at.path);
      if (entry.kind === 'FOLDER') throw notAFilePath({ reason: 'a folder stays in the folder of its notebook' });
      const other = await named(by.organisationId, wanted.name);
      const moved = await folders.saveFile(by, other.id, wanted.path, bytes, { isNew: true });
      // Whoever is killed in between has it twice, and has lost nothing.
      await folders.removeFile(by, notebook.id, at.path, entry.digest);
      return entryItem(other, moved);
    },

    async remove(by: ActorContext, path: string): Promise<void> {
      const at = required(path);
      const { id } = await named(by.organisationId, at.name);
      if (at.kind === 'folder') throw folderOfNotebook({ name: at.name });
      if (at.kind === 'notebook') await app.deleteNotebook(by, id);
      else await folders.removeFile(by, id, at.path);
    },

    async listCheckpoints(organisationId: string, path: string): Promise<readonly ContentsCheckpoint[]> {
      const item = await find(organisationId, required(path));
      if (item.kind === 'notebook') {
        const page = { limit: PAGE, cursor: '', includeTotal: false };
        return (await app.listCheckpoints(organisationId, item.notebook.id, page)).items;
      }
      if (item.kind === 'folder' || item.entry.kind === 'FOLDER') return [];
      const { id } = await named(organisationId, required(path).name);
      const found = await folders.findCheckpoint(organisationId, id, item.entry.path);
      return found ? [found] : [];
    },

    async createCheckpoint(by: ActorContext, path: string): Promise<ContentsCheckpoint> {
      const { at, id } = await withCheckpoints(by.organisationId, path);
      if (at.kind === 'notebook') return app.createCheckpoint(by, id);
      return folders.keepCheckpoint(by.organisationId, id, at.path);
    },

    async restoreCheckpoint(by: ActorContext, path: string, checkpointId: string): Promise<void> {
      const { at, id } = await withCheckpoints(by.organisationId, path);
      if (at.kind === 'notebook') await app.restoreCheckpoint(by, id, checkpointId);
      else await folders.restoreCheckpoint(by, id, at.path, checkpointId);
    },

    async deleteCheckpoint(by: ActorContext, path: string, checkpointId: string): Promise<void> {
      const { at, id } = await withCheckpoints(by.organisationId, path);
      if (at.kind === 'notebook') await app.deleteCheckpoint(by, id, checkpointId);
      else await folders.removeCheckpoint(by.organisationId, id, at.path, checkpointId);
    },
  };

  /** A notebook or what lies in its folder; folders have no checkpoints. */
  async function withCheckpoints(organisationId: string, path: string) {
    const at = required(path);
    const { id } = await named(organisationId, at.name);
    if (at.kind === 'folder') throw fileNotFound();
    return { at, id };
  }
}

type PathOfSomething = Exclude<ContentsPath, { kind: 'root' }>;

/** NOT_FOUND: nothing can be at this path. */
const required = (path: string): PathOfSomething => pathElse(path, notebookNotFound);
/** Where something shall be. MALFORMED: nothing can. */
const target = (path: string): PathOfSomething => pathElse(path, onlyNotebooks);

function pathElse(path: string, error: () => Error): PathOfSomething {
  const at = contentsPath(path);
  if (!at || at.kind === 'root') throw error();
  return at;
}

const isCode = (error: unknown, code: string): boolean => error instanceof DomainError && error.code === code;
