import type { Document } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { member } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import type { TestContent } from './test-content.ts';

type By = ReturnType<typeof member>;

export type DocumentClient = ReturnType<typeof documentClient>;

/** Whoever has a URL needs no other credential. */
const anybody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } } as const;

export const ticketIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? '';

/** What clients do with documents, as the gateway carries it to the service. */
export function documentClient({ documents, files }: Pick<TestContent, 'documents' | 'files'>) {
  async function* messages(url: string, content: string | Uint8Array, contentType: string) {
    yield await Promise.resolve({ ticket: ticketIn(url), contentType });
    const bytes = Buffer.from(content);
    for (let from = 0; from < bytes.length; from += 1000) yield { chunk: bytes.subarray(from, from + 1000) };
  }
  const put = (url: string, bytes: string | Uint8Array, contentType = 'text/plain') =>
    files.uploadFile(messages(url, bytes, contentType), anybody);
  const get = (documentId: string, by: By): Promise<Document> => documents.getDocument({ documentId }, by);

  return {
    put,
    get,
    async upload(
      by: By,
      { name, text, id = newId() }: { name: string; text: string | Uint8Array; id?: string },
    ): Promise<string> {
      const { documentId, signedUrl } = await documents.uploadDocument({ id, name }, by);
      await put(signedUrl, text, name.endsWith('.pdf') ? 'application/pdf' : undefined);
      return documentId;
    },
    /** Says how much there will be, and sends nothing. */
    async announce(url: string, contentLength: number): Promise<void> {
      const stalled = Promise.withResolvers<{ ticket: string }>();
      const announcing = (async function* () {
        yield { ticket: ticketIn(url), contentType: 'text/plain', contentLength };
        yield await stalled.promise;
      })();
      await files.uploadFile(announcing, anybody).finally(() => stalled.resolve({ ticket: '' }));
    },
    async breakOff(url: string, bytes: string): Promise<void> {
      const breaking = (async function* () {
        yield* messages(url, bytes, 'text/plain');
        throw new Error('gone');
      })();
      await files.uploadFile(breaking, anybody);
    },
    async until(documentId: string, status: NonNullable<Document['status']>, by: By): Promise<Document> {
      await waitFor(async () => (await get(documentId, by)).status === status, { what: status });
      return get(documentId, by);
    },
    async fetch(url: string, wanted: { range?: string; ifRange?: string } = {}) {
      let headers: object | undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of files.downloadFile({ ticket: ticketIn(url), ...wanted }, anybody)) {
        headers ??= piece;
        pieces.push(piece.chunk);
      }
      return { headers, text: Buffer.concat(pieces).toString() };
    },
  };
}
