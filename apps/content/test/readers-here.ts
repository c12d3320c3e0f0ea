import { readFile } from 'node:fs/promises';
import type { documentReaders } from '../src/documents/extraction/document-readers.ts';
import { readDocument } from '../src/documents/extraction/read-document.ts';

/** Reads documents in this process, by the same code as one of readers does: for tests of what becomes of them. */
export const readersHere = (): ReturnType<typeof documentReaders> => ({
  extract: async ({ path, ...claimed }, { signal }) => {
    signal.throwIfAborted();
    return readDocument(await readFile(path), claimed);
  },
  close: () => undefined,
});
