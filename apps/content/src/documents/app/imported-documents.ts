import { DomainError, type ActorContext, type Clock } from '@platform-backend/core';
import { hasBytes, objectKeysOf, type Document, type Failure } from '../domain/document.ts';
import type { Documents } from '../domain/documents.ts';
import { storageQuotaExceeded } from '../domain/errors.ts';
import type { Files } from '../domain/files.ts';
import {
  beginImport,
  failImport,
  isFetchedBy,
  progressImport,
  receiveImport,
  resumeImport,
  type FetchedBytes,
  type FetchedContent,
  type ImportStart,
  type ReceivedImport,
} from '../domain/import-document.ts';
import { objectKeyOf } from '../domain/object-key.ts';
import { COPYING_MS } from './settle-upload.ts';
import { storageRoom } from './storage.ts';

export type ImportedDocuments = ReturnType<typeof importedDocuments>;

interface Ports {
  readonly documents: Documents;
  readonly files: Pick<Files, 'put' | 'remove'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly maxBytes: number;
  readonly maxStorageBytes: number | undefined;
  readonly wake: () => void;
}

/** A document and the item of an import that fetches its bytes. */
export interface ImportRef {
  readonly documentId: string;
  readonly importItemId: string;
}

/** Documents whose bytes somebody fetches for them. */
export function importedDocuments(ports: Ports) {
  const { documents, files, clock, newId, maxBytes, wake } = ports;
  const room = storageRoom(ports);

  const find = async (
    organisationId: string,
    { documentId, importItemId }: ImportRef,
  ): Promise<Document | undefined> => {
    const found = await documents.find(organisationId, documentId);
    return isFetchedBy(found, importItemId) ? found : undefined;
  };
  const note = (by: ActorContext, { documentId, importItemId }: ImportRef, now: Parameters<typeof progressImport>[2]) =>
    documents.update(by, documentId, (document) => progressImport(document, importItemId, now));

  /** Sets room aside for what may come, so that several who fetch never take more together than there is. */
  async function reserve(by: ActorContext, ref: ImportRef, said: number | undefined): Promise<number> {
    const { organisationId } = by;
    const held = (await find(organisationId, ref))?.reservedBytes ?? 0;
    const free = await room.roomFor(organisationId, { needed: said ?? 1, wanted: said ?? maxBytes, held });
    if (free === undefined) return maxBytes;
    await note(by, ref, { reservedBytes: free });
    if (await room.isWithinRoom(organisationId)) return free;
    await note(by, ref, { reservedBytes: 0 });
    throw storageQuotaExceeded({ free_bytes: 0 });
  }

  return {
    find,

    /** CONFLICT: there is no room for anything. */
    requireRoom: async (organisationId: string): Promise<void> => {
      await room.roomFor(organisationId, { needed: 1, wanted: 1, held: 0 });
    },

    /** The new document, or the same where it was begun a moment before. CONFLICT: there is another one of this id. */
    begin: (by: ActorContext, start: Omit<ImportStart, 'newKey'>): Promise<Document> => {
      const newKey = objectKeyOf({ organisationId: by.organisationId, id: start.id }, newId());
      const at = clock.now();
      return documents.updateWithFollowUp(by, start.id, at, (document) =>
        beginImport(document, { ...start, newKey }, at),
      );
    },

    /** The same once more, for which nothing came before; undefined: nobody waits for it any more. */
    resume: (by: ActorContext, { documentId, importItemId }: ImportRef): Promise<Document | undefined> => {
      const at = clock.now();
      return documents.update(by, documentId, (document) => resumeImport(document, importItemId, at));
    },

    progress: async (by: ActorContext, ref: ImportRef, percent: number): Promise<void> => {
      await note(by, ref, { percent });
    },

    /** Nothing comes for a while. */
    release: async (by: ActorContext, ref: ImportRef): Promise<void> => {
      if (ports.maxStorageBytes !== undefined) await note(by, ref, { reservedBytes: 0 });
    },

    /** Keeps what comes; it is nobody's until it is received, and goes in an hour unless it is. CONFLICT: there is no room for it. */
    async put(
      by: ActorContext,
      ref: ImportRef,
      { name, contentType, said, content }: FetchedContent,
    ): Promise<FetchedBytes> {
      const limit = await reserve(by, ref, said);
      const document = { organisationId: by.organisationId, id: ref.documentId };
      const settledKey = objectKeyOf(document, newId());
      await documents.noteCopy(document, settledKey, new Date(clock.now().getTime() + COPYING_MS));
      const source = watched(content);
      const { bytes, checksum } = await files
        .put(settledKey, source.content, { contentType, maxBytes: limit })
        .catch((error: unknown) => {
          // A store says no more than that it could not keep it.
          if (source.failure() !== undefined) throw source.failure();
          const isBeyondRoom = error instanceof DomainError && error.kind === 'too_large';
          throw isBeyondRoom ? storageQuotaExceeded({ free_bytes: limit }) : error;
        });
      return { name, contentType, settledKey, bytes, maxBytes, checksum };
    },

    /** Whether the document has come to have the bytes: where nobody waits for them any more it has not. */
    async receive(
      by: ActorContext,
      { documentId, importItemId }: ImportRef,
      fetched: ReceivedImport,
    ): Promise<boolean> {
      const at = clock.now();
      const received = await documents.updateWithFollowUp(by, documentId, at, (document) =>
        receiveImport(document, importItemId, fetched, at),
      );
      return received !== undefined && hasBytes(received) && objectKeysOf(received).includes(fetched.settledKey);
    },

    async fail(by: ActorContext, { documentId, importItemId }: ImportRef, failure: Failure): Promise<void> {
      const at = clock.now();
      await documents.update(by, documentId, (document) => failImport(document, importItemId, failure, at));
    },

    /** Removes bytes that have become nobody's. */
    discard: ({ settledKey }: FetchedBytes): Promise<void> => files.remove([settledKey]),

    wake,
  };
}

/** The same, which knows why it has ended before its end. */
function watched(content: AsyncIterable<Uint8Array>) {
  let failure: unknown;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      yield* content;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { content: pieces(), failure: () => failure };
}
