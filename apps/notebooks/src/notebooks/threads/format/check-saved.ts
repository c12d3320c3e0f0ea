import { parseExactJson } from '@platform-backend/core';
import type { SavedContents } from '../../domain/notebook-format.ts';
import { checkNotebook } from './check-notebook.ts';

/** A notebook, or what a Jupyter client saves, with a notebook in it. */
export interface TextToCheck {
  readonly text: string;
  readonly isSaved: boolean;
}

/** Takes the notebook out of what a Jupyter client saves, to the last number, and holds it against the format; or takes a file out. */
export function checkSaved(text: string): SavedContents {
  let model: unknown;
  try {
    model = parseExactJson(text);
  } catch {
    return { lack: 'no_model' };
  }
  if (typeof model !== 'object' || model === null || Array.isArray(model)) return { lack: 'no_model' };
  const { type, content, format, chunk } = model as Readonly<Record<string, unknown>>;
  if (type === 'file') return fileOf(content, format, chunk);
  if (type === 'directory') return { lack: 'directory' };
  if (type !== undefined && type !== null && type !== 'notebook') return { lack: 'other' };
  if (content === undefined || content === null) return { lack: 'nothing' };
  return checkNotebook(JSON.stringify(content));
}

const BASE64 = /^[\w+/=\s-]*$/;

function fileOf(content: unknown, format: unknown, chunk: unknown): SavedContents {
  const piece = chunk === undefined || chunk === null ? undefined : Number(chunk);
  if (typeof content !== 'string' || (piece !== undefined && !Number.isInteger(piece))) return { lack: 'no_model' };
  if (format === 'base64')
    return BASE64.test(content) ? { file: bytesOf(content, 'base64'), chunk: piece } : { lack: 'no_model' };
  if (format !== undefined && format !== null && format !== 'text') return { lack: 'no_model' };
  return { file: bytesOf(content, 'utf8'), chunk: piece };
}

/** In memory of its own, as it goes to another thread. */
const bytesOf = (content: string, encoding: 'base64' | 'utf8'): Uint8Array =>
  Uint8Array.from(Buffer.from(content, encoding));
