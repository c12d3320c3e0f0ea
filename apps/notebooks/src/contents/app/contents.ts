import { DomainError, type ActorContext } from '@platform-backend/core';
import type { NotebookUseCases } from '../../notebooks/app/notebooks.ts';
import type { Checkpoint } from '../../notebooks/domain/checkpoint.ts';
import { notebookNotFound, onlyNotebooks } from '../../notebooks/domain/errors.ts';
import type { Notebook } from '../../notebooks/domain/notebook.ts';
import { tooManyUntitled } from '../domain/errors.ts';

/** Of the folder. */
const MAX_NOTEBOOKS = 1_000;
const PAGE = 200;
const MAX_TRIED = 1_000;
/** What notebooks are called that nobody has given a name. */
const untitled = Array.from({ length: MAX_TRIED }, (_, number) => `Untitled${number === 0 ? '' : String(number)}`);
/** And those that are copied, as Jupyter calls them: a copy of a copy is another one of the same notebook. */
const copiesOf = (name: string): readonly string[] => {
  const stem = name
    .replace(/-Copy\d*$/, '')
    .slice(0, MAX_NAME - '-Copy1000'.length)
    .toWellFormed();
  return Array.from({ length: MAX_TRIED }, (_, number) => `${stem}-Copy${String(number + 1)}`);
};
const ENDING = '.ipynb';
const MAX_NAME = 255;

export const pathOf = ({ name }: Pick<Notebook, 'name'>): string => `${name}${ENDING}`;

export type ContentsUseCases = ReturnType<typeof contentsUseCases>;

/** Notebooks as the files of a folder. */
export function contentsUseCases(app: NotebookUseCases) {
  /** NOT_FOUND: no notebook is there. */
  const at = async (organisationId: string, path: string): Promise<Notebook> => {
    const name = nameIn(path);
    const notebook = name === undefined ? undefined : await app.notebookNamed(organisationId, name);
    if (!notebook) throw notebookNotFound();
    return notebook;
  };

  return {
    async listFolder(organisationId: string): Promise<readonly Notebook[]> {
      const found: Notebook[] = [];
      let cursor = '';
      do {
        const page = { limit: PAGE, cursor, includeTotal: false, order: 'desc' } as const;
        const { items, nextCursor } = await app.listNotebooks(organisationId, page);
        found.push(...items);
        cursor = nextCursor;
      } while (cursor !== '' && found.length < MAX_NOTEBOOKS);
      return found;
    },

    read: async (organisationId: string, path: string) =>
      app.getNotebook(organisationId, (await at(organisationId, path)).id),

    /** Under the first name that is free, also of many that are created at once. */
    async create(by: ActorContext, type: string, copyFrom: string | undefined): Promise<Notebook> {
      if (type !== '' && type !== 'notebook') throw onlyNotebooks();
      const copied = copyFrom === undefined ? undefined : await at(by.organisationId, copyFrom);
      const names = copied ? copiesOf(copied.name) : untitled;
      const taken = await app.takenNames(by.organisationId, names);
      for (const name of names.filter((one) => !taken.has(one))) {
        try {
          return await (copied ? app.copyNotebook(by, name, copied.id) : app.createNotebook(by, name, null));
        } catch (error) {
          if (!isNameTaken(error)) throw error;
        }
      }
      throw tooManyUntitled();
    },

    /** `bytes`: JSON, as a Jupyter client sends it. */
    async save(by: ActorContext, path: string, bytes: Uint8Array): Promise<Notebook> {
      const name = nameIn(path);
      if (name === undefined) throw onlyNotebooks();
      return app.saveContents(by, name, bytes);
    },

    async rename(by: ActorContext, from: string, to: string): Promise<Notebook> {
      const { id } = await at(by.organisationId, from);
      const name = nameIn(to);
      if (name === undefined) throw onlyNotebooks();
      return app.renameNotebook(by, id, name);
    },

    remove: async (by: ActorContext, path: string) => app.deleteNotebook(by, (await at(by.organisationId, path)).id),

    async listCheckpoints(organisationId: string, path: string): Promise<readonly Checkpoint[]> {
      const { id } = await at(organisationId, path);
      const { items } = await app.listCheckpoints(organisationId, id, { limit: PAGE, cursor: '', includeTotal: false });
      return items;
    },

    createCheckpoint: async (by: ActorContext, path: string) =>
      app.createCheckpoint(by, (await at(by.organisationId, path)).id),

    restoreCheckpoint: async (by: ActorContext, path: string, checkpointId: string) =>
      app.restoreCheckpoint(by, (await at(by.organisationId, path)).id, checkpointId),

    deleteCheckpoint: async (by: ActorContext, path: string, checkpointId: string) =>
      app.deleteCheckpoint(by, (await at(by.organisationId, path)).id, checkpointId),
  };
}

/** The name that a notebook at this path has; undefined where none can be. */
function nameIn(path: string): string | undefined {
  const name = path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : '';
  // oxlint-disable-next-line no-control-regex -- the contract allows no name with such characters either
  return name === '' || name.length > MAX_NAME || /[/\\\u0000-\u001f]/.test(name) ? undefined : name;
}

const isNameTaken = (error: unknown): boolean => error instanceof DomainError && error.code === 'notebook_name_taken';
