import {
  invalidField,
  isUuid,
  newId,
  type ActorContext,
  type Clock,
  type PageRequest,
  type Violation,
} from '@platform-backend/core';
import { notANotebook, notContents, notebookNotFound, onlyNotebooks } from '../domain/errors.ts';
import type { FormatProblem, NotebookFormat } from '../domain/notebook-format.ts';
import type { NotebookPages } from '../domain/notebook-pages.ts';
import {
  createNotebook,
  deleteNotebook,
  emptyNotebook,
  notebookName,
  renameNotebook,
  saveNotebook,
  type Notebook,
  type NotebookContent,
} from '../domain/notebook.ts';
import type { NotebookPage, Notebooks } from '../domain/notebooks.ts';

export interface NotebookPorts {
  readonly notebooks: Notebooks;
  readonly format: NotebookFormat;
  readonly pages: NotebookPages;
  readonly clock: Clock;
  /** Ends all kernels of a notebook. */
  readonly stopKernels: (by: ActorContext, notebookId: string) => Promise<void>;
}

/** What a Jupyter client saves; a notebook may be without a content. */
export type SavedModel =
  | { readonly notebook: NotebookContent | undefined }
  | { readonly file: Uint8Array; readonly chunk: number | undefined }
  | { readonly directory: true };

export type NotebookUseCases = ReturnType<typeof notebookUseCases>;

export function notebookUseCases({ notebooks, format, pages, clock, stopKernels }: NotebookPorts) {
  /** Of a JSON value in a request. */
  const contentOf = async ({ organisationId }: ActorContext, json: unknown): Promise<NotebookContent> => {
    const checked = await format.check(organisationId, JSON.stringify(json));
    if ('text' in checked) return checked;
    throw invalidContent(checked);
  };

  /** Of a file. */
  const contentOfFile = async (
    { organisationId }: Pick<ActorContext, 'organisationId'>,
    bytes: Uint8Array,
  ): Promise<NotebookContent> => {
    const text = decoded(bytes);
    const checked = text === undefined ? noText : await format.check(organisationId, text);
    if ('text' in checked) return checked;
    const location = checked.at.length === 0 ? '' : ` (${checked.at.join('.')})`;
    throw notANotebook({ message: checked.message, location });
  };

  /** Of a notebook that is or was kept here. */
  const contentOfKept = async ({ organisationId }: ActorContext, text: string): Promise<NotebookContent> => {
    const content = await format.check(organisationId, text);
    if (!('text' in content)) throw new Error(`what is kept here is no notebook: ${content.message}`);
    return content;
  };

  const create = (by: ActorContext, name: string, content: NotebookContent, at: Violation['loc'] = ['body', 'name']) =>
    notebooks.add(by, createNotebook({ id: newId(), name: nameOf(name, at) }, content, clock.now()), content);

  const save = (by: ActorContext, notebookId: string, content: NotebookContent, version?: number) =>
    notebooks.save(by, notebookId, content, (notebook, isThere) =>
      saveNotebook(notebook, content, { changedVersion: version, isThere }, clock.now()),
    );

  return {
    /** An empty one when no content is given. */
    createNotebook: async (by: ActorContext, name: string, json: unknown) =>
      create(by, name, json === null || json === undefined ? emptyNotebook : await contentOf(by, json)),

    importNotebook: async (by: ActorContext, name: string, bytes: Uint8Array) =>
      create(by, name, await contentOfFile(by, bytes), ['query', 'name']),

    /** With the same text, to the last number. */
    async copyNotebook(by: ActorContext, name: string, copiedId: string) {
      const { text } = await notebooks.getWithContent(by.organisationId, copiedId);
      return create(by, name, await contentOfKept(by, text));
    },

    listNotebooks: (organisationId: string, page: NotebookPage) => notebooks.list(organisationId, page),
    getNotebook: notebooks.getWithContent,
    notebookNamed: notebooks.named,
    takenNames: notebooks.taken,

    /** By its id or its name. NOT_FOUND: there is none of either. */
    async findNotebook(organisationId: string, name: string) {
      const named = await notebooks.named(organisationId, name);
      if (named) return named;
      if (!isUuid(name)) throw notebookNotFound();
      return notebooks.get(organisationId, name);
    },

    async notebookPage(organisationId: string, notebookId: string) {
      const { notebook, text } = await notebooks.getWithContent(organisationId, notebookId);
      return { notebook, html: await pages.html(organisationId, notebook.name, text) };
    },

    renameNotebook: (by: ActorContext, notebookId: string, name: string) =>
      notebooks.update(by, notebookId, (notebook) =>
        renameNotebook(notebook, nameOf(name, ['body', 'name']), clock.now()),
      ),

    saveNotebook: async (by: ActorContext, notebookId: string, json: unknown, version: number | undefined) =>
      save(by, notebookId, await contentOf(by, json), version),

    saveNotebookFile: async (by: ActorContext, notebookId: string, bytes: Uint8Array, version: number | undefined) =>
      save(by, notebookId, await contentOfFile(by, bytes), version),

    /** What is in the bytes of a Jupyter client that saves. */
    async readSaved({ organisationId }: ActorContext, bytes: Uint8Array): Promise<SavedModel> {
      const text = decoded(bytes);
      const checked =
        text === undefined ? { lack: 'no_model' as const } : await format.checkSaved(organisationId, text);
      if ('at' in checked) throw invalidContent(checked);
      if ('file' in checked) return checked;
      if ('text' in checked) return { notebook: checked };
      if (checked.lack === 'nothing') return { notebook: undefined };
      if (checked.lack === 'directory') return { directory: true };
      throw checked.lack === 'other' ? onlyNotebooks() : notContents();
    },

    /** The notebook that a file is. MALFORMED: it is none. */
    contentOfFile,

    /** By its name: one that is not there yet is made. Without a content nothing changes. */
    async saveNamed(by: ActorContext, name: string, content: NotebookContent | undefined): Promise<Notebook> {
      const known = await notebooks.named(by.organisationId, name);
      if (!known) return create(by, name, content ?? emptyNotebook);
      return content === undefined ? known : save(by, known.id, content);
    },

    async deleteNotebook(by: ActorContext, notebookId: string) {
      await notebooks.get(by.organisationId, notebookId);
      await stopKernels(by, notebookId);
      const removed = await notebooks.remove(by, notebookId, (notebook) => deleteNotebook(notebook, clock.now()));
      // Also those that have begun meanwhile; from now on nobody finds it to begin another one.
      await stopKernels(by, notebookId);
      return removed;
    },

    createCheckpoint: ({ organisationId }: ActorContext, notebookId: string) =>
      notebooks.checkpoints.add(organisationId, { id: newId(), notebookId, createdAt: clock.now() }),

    listCheckpoints: (organisationId: string, notebookId: string, page: PageRequest) =>
      notebooks.checkpoints.list(organisationId, notebookId, page),

    async restoreCheckpoint(by: ActorContext, notebookId: string, checkpointId: string) {
      const text = await notebooks.checkpoints.getText(by.organisationId, notebookId, checkpointId);
      const content = await contentOfKept(by, text);
      const saving = { changedVersion: undefined, isThere: false };
      return notebooks.save(by, notebookId, content, (notebook) =>
        saveNotebook(notebook, content, saving, clock.now()),
      );
    },

    deleteCheckpoint: ({ organisationId }: ActorContext, notebookId: string, checkpointId: string) =>
      notebooks.checkpoints.remove(organisationId, notebookId, checkpointId),
  };
}

/** INVALID: what means a folder in a path, by which Jupyter clients name notebooks. */
function nameOf(given: string, loc: Violation['loc']): string {
  const name = notebookName(given);
  if (name === '.' || name === '..') throw invalidField(loc, 'a notebook is not called `.` or `..`', given);
  return name;
}

const invalidContent = ({ at, message }: FormatProblem) => invalidField(['body', 'content', ...at], message);

const noText: FormatProblem = { at: [], message: 'it is no UTF-8' };

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
