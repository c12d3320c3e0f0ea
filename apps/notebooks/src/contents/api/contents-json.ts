import { setImmediate } from 'node:timers/promises';
import type { ContentsItem, OpenedContents } from '../app/contents.ts';
import { notThisContent } from '../domain/errors.ts';
import { contentsJson } from './contents-models.ts';

/** How a client wants what it opens. */
export interface ContentsQuery {
  /** Empty: whatever it is. */
  readonly type: string;
  readonly format: string;
}

/** Of what is written at once; others go on in between. A multiple of 3, so that pieces of base64 can be put together. */
const PIECE = 3 * 256 * 1024;

/** What a client opens, as JSON in pieces. MALFORMED: it is not what it wants. */
export async function openedJson(opened: OpenedContents, query: ContentsQuery): Promise<Uint8Array[]> {
  const { item } = opened;
  const model = contentsJson(item);
  if ('items' in opened) {
    requireType(model.type, query.type, item);
    return [Buffer.from(JSON.stringify({ ...model, format: 'json', content: opened.items.map(contentsJson) }))];
  }
  if (query.type === 'directory') requireType(model.type, query.type, item);
  if ('json' in opened && query.type !== 'file') {
    // The text of the content stands as it is kept: reading it would take long, and change its numbers.
    return around({ ...model, type: 'notebook', format: 'json' }, [Buffer.from(opened.json)]);
  }
  if (query.type === 'notebook') requireType(model.type === 'notebook' ? 'file' : model.type, query.type, item);
  const bytes = 'json' in opened ? Buffer.from(opened.json) : opened.bytes;
  const text = query.format === 'base64' ? undefined : textIn(bytes);
  if (text === undefined && query.format === 'text')
    throw notThisContent({ reason: `${item.path} is no text in UTF-8` });
  const file = { ...model, type: 'file' };
  return text === undefined
    ? around({ ...file, format: 'base64', mimetype: 'application/octet-stream' }, await inBase64(bytes))
    : around({ ...file, format: 'text', mimetype: 'text/plain' }, await asJsonText(text));
}

function requireType(type: string, wanted: string, { path }: ContentsItem): void {
  if (wanted !== '' && wanted !== type) throw notThisContent({ reason: `${path} is no ${wanted}, but a ${type}` });
}

/** A model with this content, which is JSON. */
function around(model: object, content: readonly Uint8Array[]): Uint8Array[] {
  const [before = '', after = ''] = JSON.stringify(model).split('"content":null');
  return [Buffer.from(`${before}"content":`), ...content, Buffer.from(after)];
}

async function inBase64(bytes: Uint8Array): Promise<Uint8Array[]> {
  const quote = Buffer.from('"');
  const pieces: Uint8Array[] = [quote];
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    pieces.push(Buffer.from(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64')));
    await setImmediate();
  }
  return [...pieces, quote];
}

async function asJsonText(text: string): Promise<Uint8Array[]> {
  const quote = Buffer.from('"');
  const pieces: Uint8Array[] = [quote];
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE, text.length);
    // Not between the halves of a character.
    if (end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff) end -= 1;
    pieces.push(Buffer.from(JSON.stringify(text.slice(at, end)).slice(1, -1)));
    at = end;
    await setImmediate();
  }
  return [...pieces, quote];
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
