import { parseExactJson } from '@platform-backend/core';
import type { SavedContents } from '../../domain/notebook-format.ts';
import { checkNotebook } from './check-notebook.ts';

/** A notebook, or what a Jupyter client saves, with a notebook in it. */
export interface TextToCheck {
  readonly text: string;
  readonly isSaved: boolean;
}

/** Takes the notebook out of what a Jupyter client saves, to the last number, and holds it against the format. */
export function checkSaved(text: string): SavedContents {
  let model: unknown;
  try {
    model = parseExactJson(text);
  } catch {
    return { lack: 'no_model' };
  }
  if (typeof model !== 'object' || model === null || Array.isArray(model)) return { lack: 'no_model' };
  const { type, content } = model as { readonly type?: unknown; readonly content?: unknown };
  if (type !== undefined && type !== null && type !== 'notebook') return { lack: 'other' };
  if (content === undefined || content === null) return { lack: 'nothing' };
  return checkNotebook(JSON.stringify(content));
}
