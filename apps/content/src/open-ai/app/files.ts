import { invalid, type ActorContext } from '@platform-backend/core';
import type { DocumentUseCases } from '../../documents/app/documents.ts';
import type { Document } from '../../documents/domain/document.ts';
import { ALL_DOCUMENTS } from '../../documents/domain/documents.ts';
import { unsupportedValue } from '../domain/violations.ts';

export interface NewFile {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly purpose: string;
}

export interface FileList {
  readonly limit: number;
  readonly after: string;
  readonly order: 'asc' | 'desc';
  readonly purpose: string;
}

export type FileUseCases = ReturnType<typeof fileUseCases>;

/** What files are for here. */
export const PURPOSE = 'assistants';
const PURPOSES: ReadonlySet<string> = new Set([PURPOSE, 'user_data']);

/** Of one page. */
const MAX_PAGE = 200;

/** Documents as the files of OpenAI's interface. */
export const fileUseCases = (documents: DocumentUseCases) => ({
  /** INVALID: it is for something that is not done with files here. TOO_LARGE: a document may not be as large. */
  async createFile(by: ActorContext, { filename: name, contentType, content, purpose }: NewFile): Promise<Document> {
    if (!PURPOSES.has(purpose))
      throw invalid([unsupportedValue('purpose', "Files are for assistants to search: it should be 'assistants'")]);
    return documents.addDocument(by, { name, contentType, collection: '', content });
  },

  /** NOT_FOUND: the file after which it begins is not there. */
  async listFiles(by: ActorContext, { limit, after, order, purpose }: FileList) {
    if (purpose !== '' && purpose !== PURPOSE) return { items: [], hasMore: false };
    const last = after === '' ? undefined : await documents.findDocument(by, after);
    const page = { limit: Math.min(limit, MAX_PAGE), cursor: '', includeTotal: false, order };
    const { items, nextCursor } = await documents.listDocuments(by, {
      ...ALL_DOCUMENTS,
      ...page,
      ...(last && { after: last }),
    });
    return { items, hasMore: nextCursor !== '' };
  },

  getFile: (by: ActorContext, id: string): Promise<Document> => documents.findDocument(by, id),
  deleteFile: (by: ActorContext, id: string): Promise<Document> => documents.deleteDocument(by, id),
  readFile: (by: ActorContext, id: string, signal: AbortSignal) => documents.readDocument(by, id, signal),
});
