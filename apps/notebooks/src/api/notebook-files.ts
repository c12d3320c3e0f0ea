import type { NotebookFileInput } from '@platform/contract-notebooks';

/** What one message carries of a file, in bytes. */
const PIECE_BYTES = 64 * 1024;

/** A notebook as a file of Jupyter. */
export const notebookFile = (name: string, text: string): Generator<NotebookFileInput> =>
  fileOf(`${name}.ipynb`, 'application/x-ipynb+json', Buffer.from(text));

/** Its page. */
export const pageFile = (name: string, html: string): Generator<NotebookFileInput> =>
  fileOf(`${name}.html`, 'text/html; charset=utf-8', Buffer.from(html));

function* fileOf(name: string, contentType: string, bytes: Buffer): Generator<NotebookFileInput> {
  yield {
    contentType,
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
    contentLength: bytes.length,
    cacheControl: 'private, no-store',
    chunk: new Uint8Array(),
  };
  for (let from = 0; from < bytes.length; from += PIECE_BYTES)
    yield { chunk: bytes.subarray(from, from + PIECE_BYTES) };
}
