import type { NotebookFileInput } from '@platform-backend/contract-notebooks';
import { inMessages } from '@platform-backend/grpc';

/** A notebook as a file of Jupyter. */
export const notebookFile = (name: string, text: string): AsyncGenerator<NotebookFileInput> =>
  fileAnswer(`${name}.ipynb`, 'application/x-ipynb+json', Buffer.from(text));

/** Its page. */
export const pageFile = (name: string, html: string): AsyncGenerator<NotebookFileInput> =>
  fileAnswer(`${name}.html`, 'text/html; charset=utf-8', Buffer.from(html));

/** A file to be saved under a name; nobody between keeps it. */
export async function* fileAnswer(
  name: string,
  contentType: string,
  bytes: Uint8Array,
): AsyncGenerator<NotebookFileInput> {
  yield {
    contentType,
    contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
    contentLength: bytes.length,
    cacheControl: 'private, no-store',
    chunk: new Uint8Array(),
  };
  yield* inMessages([bytes]);
}
