import { changedFields, created, decided, deleted, unchanged, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import { notebookChanged } from './errors.ts';

/** A notebook, whose content is kept beside it. */
export interface Notebook {
  readonly id: string;
  /** Unique in its organisation. */
  readonly name: string;
  /** Grows with each change of the content, from 1. */
  readonly version: number;
  readonly sizeBytes: number;
  readonly formatMinor: number;
  /** Empty where the content does not say it. */
  readonly language: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What is known of a content that keeps the format. */
export interface NotebookContent {
  /** JSON. */
  readonly text: string;
  readonly sizeBytes: number;
  readonly formatMinor: number;
  readonly language: string;
}

/** The content of a notebook that nobody has written anything into. */
export const emptyNotebook: NotebookContent = contentOf(
  JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
);

function contentOf(text: string): NotebookContent {
  return { text, sizeBytes: Buffer.byteLength(text), formatMinor: 5, language: '' };
}

/** Files of notebooks end in `.ipynb`; their names do not, so that the ending is there once. */
export const notebookName = (name: string): string => name.replace(/(?<=.)\.ipynb$/su, '');

type NotebookDecision = Decision<Notebook, NotebooksEvent>;

export function createNotebook(
  { id, name }: Pick<Notebook, 'id' | 'name'>,
  content: NotebookContent,
  at: Date,
): NotebookDecision {
  const notebook: Notebook = { id, name, version: 1, ...described(content), createdAt: at, updatedAt: at };
  return created('notebook.created', notebook, at, { notebook_id: id, name }, fieldsOf(notebook));
}

/** The name that it has already changes nothing. */
export const renameNotebook = (notebook: Notebook, name: string, at: Date): NotebookDecision =>
  name === notebook.name ? unchanged(notebook) : updated(notebook, { ...notebook, name }, at);

export interface Saving {
  /** The version that was changed; undefined stands for any. */
  readonly changedVersion: number | undefined;
  /** The content is there already: whoever saves it has not heard that they did. */
  readonly isThere: boolean;
}

/** Gives it another content. CONFLICT: it is not at the version that was changed. */
export function saveNotebook(
  notebook: Notebook,
  content: NotebookContent,
  { changedVersion, isThere }: Saving,
  at: Date,
): NotebookDecision {
  if (isThere) return unchanged(notebook);
  if (changedVersion !== undefined && changedVersion !== notebook.version) {
    throw notebookChanged({ version: notebook.version });
  }
  return updated(notebook, { ...notebook, ...described(content), version: notebook.version + 1 }, at);
}

/** What an audit entry says of the content are its version and size. */
export const deleteNotebook = (notebook: Notebook, at: Date): Decision<undefined, NotebooksEvent, Notebook> =>
  deleted('notebook.deleted', notebook, at, { notebook_id: notebook.id }, fieldsOf(notebook));

function updated(before: Notebook, after: Notebook, at: Date): NotebookDecision {
  const next = { ...after, updatedAt: at };
  const change = changedFields(fieldsOf(before), fieldsOf(next));
  const { id, name, version } = next;
  const data = { notebook_id: id, name, version, changed_fields: Object.keys(change.after) };
  return decided(next, { name: 'notebook.updated', subject: id, at, data, change });
}

const described = ({ sizeBytes, formatMinor, language }: NotebookContent) => ({ sizeBytes, formatMinor, language });

const fieldsOf = ({ name, version, sizeBytes }: Notebook) => ({ name, version, size_bytes: sizeBytes });
