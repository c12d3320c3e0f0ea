import { followRevisions, type ActorContext, type Page, type Revision } from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import { madeBy, type AccessInput } from '../../access/domain/access.ts';
import {
  archiveDocument,
  changeDocument,
  changeDocumentAccess,
  deleteDocument,
  exemptDocument,
  restoreDocument,
  retryDocument,
  type ChangeDocument,
} from '../domain/change-document.ts';
import { actorOf } from '../domain/document-versions.ts';
import {
  awaitedKeyOf,
  hasBytes,
  hasSettled,
  heldBytesOf,
  revisionOf,
  versionNumberOf,
  type Document,
} from '../domain/document.ts';
import type { DocumentList } from '../domain/documents.ts';
import { documentArchived, documentTooLarge, nothingUploaded, storageQuotaExceeded } from '../domain/errors.ts';
import type { Files, UploadUrl } from '../domain/files.ts';
import { URL_LIFETIME_MS } from '../domain/limits.ts';
import { mediaTypeOf } from '../domain/media-types.ts';
import { objectKeyOf } from '../domain/object-key.ts';
import { addDocument, recordUpload, refuseUpload, requestUpload } from '../domain/upload-document.ts';
import { COPYING_MS, recordSettled, settleUpload } from './settle-upload.ts';
import { storageRoom } from './storage.ts';
import { storedDocuments, type DocumentWithText, type StoredDocumentPorts } from './stored-documents.ts';

export interface DocumentPorts extends StoredDocumentPorts {
  readonly admitAccess: AdmitAccess;
  readonly files: Files;
  readonly newId: () => string;
  /** Of one document, in bytes. */
  readonly maxBytes: number;
  readonly maxStorageBytes: number | undefined;
  /** Of one document that are kept. */
  readonly maxVersions: number;
  /** How often bytes are looked for that nobody has said anything about, in milliseconds. */
  readonly pollEveryMs: number;
}

/** Without a content type: by the ending of the name. */
export interface DocumentUploadInput extends Pick<Document, 'id' | 'name' | 'contentType' | 'collection' | 'metadata'> {
  /** How many there will be, where somebody says so. */
  readonly bytes?: number | undefined;
  /** Of a document that is new. */
  readonly access?: AccessInput | undefined;
}

export interface RequestedUpload extends UploadUrl {
  readonly document: Document;
  /** Its number. */
  readonly version: number;
  readonly maxBytes: number;
  readonly expiresAt: Date;
}

export type DocumentUseCases = ReturnType<typeof documentUseCases>;

/** Their bytes are here, and another request for the upload brings no others. */
const KEPT: ReadonlySet<Document['status']> = new Set(['UPLOADED', 'PROCESSING', 'READY', 'ARCHIVED']);

export function documentUseCases(ports: DocumentPorts) {
  const { documents, admitAccess, files, clock, newId, maxBytes, pollEveryMs, wake } = ports;

  const room = storageRoom(ports);
  const { existing, change, changed, withText } = storedDocuments(ports);

  async function remove(by: ActorContext, id: string): Promise<Document> {
    const at = clock.now();
    const deleted = await documents.updateWithFollowUp(by, id, at, (document) => deleteDocument(document, at));
    wake();
    return deleted;
  }

  /** The upload of a document, for which there is no room after all. */
  async function takeBack(by: ActorContext, { id, objectKey }: Document): Promise<void> {
    const at = clock.now();
    await documents.updateWithFollowUp(by, id, at, (document) => refuseUpload(document, objectKey, at));
    wake();
  }

  return {
    async uploadDocument(
      by: ActorContext,
      { contentType, bytes, access: given, ...wanted }: DocumentUploadInput,
    ): Promise<RequestedUpload> {
      const { organisationId } = by;
      if (bytes !== undefined && bytes > maxBytes) throw documentTooLarge({ max_bytes: maxBytes });
      const access = given && (await admitAccess(by, given, { loc: ['body', 'access'] }));
      const made = { ...madeBy(by.actor), ...(access && { access }) };
      const newKey = objectKeyOf({ organisationId, id: wanted.id }, newId());
      const before = await documents.find(organisationId, wanted.id);
      const isKept = KEPT.has(before?.status ?? 'PENDING_UPLOAD');
      const asked = { needed: bytes ?? 1, wanted: bytes ?? maxBytes, held: before ? heldBytesOf(before) : 0 };
      const free = isKept ? undefined : await room.roomFor(organisationId, asked);
      let heldBefore = 0;
      const document = await change(by, wanted.id, (found, at) => {
        const nextPollAt = new Date(at.getTime() + pollEveryMs);
        const type = contentType === '' ? mediaTypeOf(wanted.name) : contentType.toLowerCase();
        const actor = actorOf(by.actor);
        const upload = { ...wanted, contentType: type, newKey, nextPollAt, made, actor, reservedBytes: free ?? bytes };
        heldBefore = found ? heldBytesOf(found) : 0;
        return requestUpload(found, upload, at);
      });
      // One that was granted before, and asks for no more, makes nothing too much: those do that have come since.
      const isMore = heldBytesOf(document) > heldBefore;
      if (isMore && free !== undefined && !(await room.isWithinRoom(organisationId))) {
        await takeBack(by, document);
        throw storageQuotaExceeded({ free_bytes: 0 });
      }
      // Of one that is not awaited the URL serves whoever lost the answer to the upload before.
      const expiresAt = new Date(clock.now().getTime() + URL_LIFETIME_MS);
      const isThere = document.status !== 'PENDING_UPLOAD';
      const limits = { maxBytes: bytes ?? free ?? maxBytes, ...(bytes !== undefined && { bytes }) };
      const permit = {
        key: document.objectKey,
        contentType: document.contentType,
        ...limits,
        expiresAt,
        ifAbsent: isThere,
      };
      const version = versionNumberOf(document);
      return { ...(await files.presignUpload(permit)), document, version, maxBytes: limits.maxBytes, expiresAt };
    },

    /** A new document with its bytes. TOO_LARGE: there are more than one may have. */
    async addDocument(
      by: ActorContext,
      {
        contentType,
        content,
        ...wanted
      }: Omit<DocumentUploadInput, 'id' | 'bytes' | 'access'> & { readonly content: Uint8Array },
    ): Promise<Document> {
      if (content.length > maxBytes) throw documentTooLarge({ max_bytes: maxBytes });
      const ref = { organisationId: by.organisationId, id: newId() };
      await room.roomFor(ref.organisationId, { needed: content.length, wanted: content.length, held: 0 });
      const type = contentType === '' ? mediaTypeOf(wanted.name) : contentType.toLowerCase();
      const objectKey = objectKeyOf(ref, newId());
      // Should this process die in between, they are nobody's, and go.
      await documents.noteCopy(ref, objectKey, new Date(clock.now().getTime() + COPYING_MS));
      const kept = { contentType: type, maxBytes: content.length };
      const { bytes, checksum } = await files.put(objectKey, content, kept);
      const received = { objectKey, bytes, maxBytes, checksum };
      const added = await change(by, ref.id, (_none, at) =>
        addDocument(
          { ...wanted, id: ref.id, contentType: type, made: madeBy(by.actor), actor: actorOf(by.actor) },
          received,
          at,
        ),
      );
      if (await room.isWithinRoom(ref.organisationId)) return added;
      await remove(by, ref.id);
      throw storageQuotaExceeded({ free_bytes: 0 });
    },

    getStorage: room.getStorage,

    /** The document and its bytes. NOT_FOUND: it is not there. CONFLICT: its bytes are not. */
    async readDocument(by: ActorContext, id: string, signal: AbortSignal) {
      const document = await existing(by.organisationId, id);
      if (!hasBytes(document)) throw nothingUploaded();
      return { document, bytes: await files.read(document.objectKey, signal) };
    },

    /** The bytes that the document has, for work that goes on when others may have come. NOT_FOUND: it is not there. CONFLICT: they are not, or it is archived. */
    async recordingOf(by: ActorContext, id: string) {
      const document = await existing(by.organisationId, id);
      if (document.status === 'ARCHIVED') throw documentArchived();
      if (!hasBytes(document)) throw nothingUploaded();
      const { name, objectKey: key, sizeBytes: bytes, checksum } = document;
      return { name, recording: { key, bytes, checksum } };
    },

    listDocuments: ({ organisationId }: ActorContext, wanted: DocumentList): Promise<Page<Document>> =>
      documents.list(organisationId, wanted),

    /** Without its text. */
    findDocument: ({ organisationId }: ActorContext, id: string): Promise<Document> => existing(organisationId, id),

    getDocument: async ({ organisationId }: ActorContext, id: string): Promise<DocumentWithText> =>
      withText(organisationId, await existing(organisationId, id)),

    /** NOT_FOUND, at once or later: it is not there. */
    watchDocument: (
      { organisationId }: ActorContext,
      id: string,
      { known, signal }: { readonly known: string; readonly signal: AbortSignal },
    ): AsyncIterable<Revision<Document>> =>
      followRevisions({ look: () => existing(organisationId, id), revisionOf, isOver: hasSettled, known, signal }),

    updateDocument: (by: ActorContext, id: string, wanted: ChangeDocument): Promise<DocumentWithText> =>
      changed(by, id, (document, at) => changeDocument(document, wanted, at)),

    /** Says who may open it. INVALID: there are no such groups or members. */
    async setDocumentAccess(by: ActorContext, id: string, wanted: AccessInput): Promise<Document> {
      const { access: before } = await existing(by.organisationId, id);
      const access = await admitAccess(by, wanted, { before });
      return change(by, id, (document, at) => changeDocumentAccess(document, access, at));
    },

    exemptDocument: (by: ActorContext, id: string, isExempt: boolean): Promise<DocumentWithText> =>
      changed(by, id, (document, at) => exemptDocument(document, isExempt, at)),

    async completeDocumentUpload(by: ActorContext, id: string): Promise<DocumentWithText> {
      const objectKey = awaitedKeyOf(await existing(by.organisationId, id));
      const found = objectKey === undefined ? undefined : await settleUpload(ports, by, { id, objectKey });
      if (found) {
        const settled = await recordSettled(ports, found, () =>
          change(by, id, (document, at) => recordUpload(document, found, at)),
        );
        return withText(by.organisationId, settled);
      }
      const document = await existing(by.organisationId, id);
      if (awaitedKeyOf(document) !== undefined || document.status === 'EXPIRED') throw nothingUploaded();
      return withText(by.organisationId, document);
    },

    archiveDocument: (by: ActorContext, id: string): Promise<DocumentWithText> => changed(by, id, archiveDocument),

    restoreDocument: (by: ActorContext, id: string): Promise<DocumentWithText> => changed(by, id, restoreDocument),

    retryDocument: (by: ActorContext, id: string): Promise<DocumentWithText> => changed(by, id, retryDocument),

    deleteDocument: remove,

    async downloadDocument({ organisationId }: ActorContext, id: string): Promise<{ url: string; expiresAt: Date }> {
      const document = await existing(organisationId, id);
      if (!hasBytes(document)) throw nothingUploaded();
      const { name, objectKey } = document;
      const expiresAt = new Date(clock.now().getTime() + URL_LIFETIME_MS);
      return { url: await files.presignDownload({ key: objectKey, filename: name, expiresAt }), expiresAt };
    },
  };
}
