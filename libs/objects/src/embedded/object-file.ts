import type { FileHandle } from 'node:fs/promises';
import type { ObjectFacts } from '../object-store.ts';

/** What is known of an object stands before its bytes, so that both come to be in one moment. */
export const HEADER_BYTES = 1024;

export const emptyHeader = (): Buffer => Buffer.alloc(HEADER_BYTES, ' ');

export function headerOf(facts: Required<ObjectFacts>): Buffer {
  const header = emptyHeader();
  const text = JSON.stringify(facts);
  if (Buffer.byteLength(text) > HEADER_BYTES) throw new Error('the media type of an object is too long');
  header.write(text);
  return header;
}

export async function readHeader(file: FileHandle): Promise<Required<ObjectFacts>> {
  const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return JSON.parse(buffer.toString()) as Required<ObjectFacts>;
}
