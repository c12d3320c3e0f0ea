import type { NotebookContent } from './notebook.ts';

/** Where a JSON text breaks the format, and how. */
export interface FormatProblem {
  /** `['cells', 3, 'source']` */
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** Looks whether texts are notebooks of the format nbformat 4. */
export interface NotebookFormat {
  /** CONFLICT: it would take too long. UNAVAILABLE: too many wait already, of the organisation or in all. */
  readonly check: (organisationId: string, text: string) => Promise<NotebookContent | FormatProblem>;
  /** The same of the notebook in what a Jupyter client saves. */
  readonly checkSaved: (organisationId: string, text: string) => Promise<SavedContents>;
}

/** What a Jupyter client saves, as JSON: an object with a type and a content. */
export type SavedContents =
  | NotebookContent
  | FormatProblem
  /** `chunk`: which piece of the file it is, from 1 on, the last one -1; undefined: all of it. */
  | { readonly file: Uint8Array; readonly chunk: number | undefined }
  /** `nothing`: a notebook without a content; `other`: of a type that there is not; `no_model`: no such object. */
  | { readonly lack: 'nothing' | 'directory' | 'other' | 'no_model' };
