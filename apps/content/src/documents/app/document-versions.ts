import type { ActorContext, Page } from '@platform-backend/core';
import {
  actorOf,
  deleteVersion,
  isIncoming,
  refuseVersion,
  requestVersion,
  restoreVersion,
  versionOf,
  versionsOf,
} from '../domain/document-versions.ts';
import {
  hasBytes,
  heldBytesOf,
  versionNumberOf,
  type Document,
  type DocumentVersion,
  type IncomingVersion,
} from '../domain/document.ts';
import { documentTooLarge, nothingUploaded, storageQuotaExceeded } from '../domain/errors.ts';
import { URL_LIFETIME_MS } from '../domain/limits.ts';
import { mediaTypeOf } from '../domain/media-types.ts';
import { objectKeyOf } from '../domain/object-key.ts';
import type { DocumentPorts, RequestedUpload } from './documents.ts';
import { storageRoom } from './storage.ts';
import { storedDocuments, type DocumentWithText } from './stored-documents.ts';

export interface VersionUploadInput {
  /** Empty: that of the document. */
  readonly name: string;
  /** Empty: by the ending of the name. */
  readonly contentType: string;
  /** How many there will be, where somebody says so. */
  readonly bytes: number | undefined;
}

/** One of a document, and what it is beside the others. */
export type ShownVersion = DocumentVersion &
  Partial<IncomingVersion> & { readonly standing: 'CURRENT' | 'EARLIER' | IncomingVersion['status'] };

export type DocumentVersions = ReturnType<typeof documentVersions>;

/** What a document has had under its id, and what it is going to have. */
export function documentVersions(ports: DocumentPorts) {
  const { documents, texts, files, clock, newId, maxBytes, pollEveryMs, wake } = ports;
  const room = storageRoom(ports);
  const { existing, change, changed } = storedDocuments(ports);

  const takeBack = async (by: ActorContext, id: string, objectKey: string): Promise<void> => {
    const at = clock.now();
    await documents.updateWithFollowUp(by, id, at, (document) => refuseVersion(document, objectKey, at));
    wake();
  };

  return {
    /** CONFLICT: no version may come now, or there is no room for it. TOO_LARGE: it has more bytes than one may have. */
    async uploadVersion(
      by: ActorContext,
      id: string,
      { name, contentType, bytes }: VersionUploadInput,
    ): Promise<RequestedUpload> {
      const { organisationId } = by;
      if (bytes !== undefined && bytes > maxBytes) throw documentTooLarge({ max_bytes: maxBytes });
      const before = await existing(organisationId, id);
      const held = before.incoming?.status === 'PENDING_UPLOAD' ? (before.incoming.reservedBytes ?? 0) : 0;
      const free = await room.roomFor(organisationId, { needed: bytes ?? 1, wanted: bytes ?? maxBytes, held });
      const type = contentType === '' ? mediaTypeOf(name === '' ? before.name : name) : contentType.toLowerCase();
      let heldBefore = 0;
      const document = await change(by, id, (found, at) => {
        heldBefore = found ? heldBytesOf(found) : 0;
        const upload = {
          ...{ actor: actorOf(by.actor), name, contentType: type, reservedBytes: free ?? bytes },
          newKey: objectKeyOf({ organisationId, id }, newId()),
          nextPollAt: new Date(at.getTime() + pollEveryMs),
        };
        return requestVersion(found, upload, at);
      });
      const { incoming } = document;
      if (!incoming) throw new Error('a version that was asked for is coming');
      if (free !== undefined && heldBytesOf(document) > heldBefore && !(await room.isWithinRoom(organisationId))) {
        await takeBack(by, id, incoming.objectKey);
        throw storageQuotaExceeded({ free_bytes: 0 });
      }
      const expiresAt = new Date(clock.now().getTime() + URL_LIFETIME_MS);
      const limits = { maxBytes: bytes ?? free ?? maxBytes, ...(bytes !== undefined && { bytes }) };
      const permit = {
        key: incoming.objectKey,
        contentType: incoming.contentType,
        ...limits,
        expiresAt,
        ifAbsent: false,
      };
      const uploaded = { ...document, contentType: incoming.contentType };
      const { number: version } = incoming;
      return {
        ...(await files.presignUpload(permit)),
        document: uploaded,
        version,
        maxBytes: limits.maxBytes,
        expiresAt,
      };
    },

    /** Newest first; `cursor` is the number behind which the page begins. */
    async listVersions(
      { organisationId }: ActorContext,
      id: string,
      {
        limit,
        cursor,
        includeTotal,
      }: { readonly limit: number; readonly cursor: string; readonly includeTotal: boolean },
    ): Promise<Page<ShownVersion>> {
      const document = await existing(organisationId, id);
      const all = versionsOf(document);
      const behind = cursor === '' ? all : all.filter(({ number }) => number < Number(cursor));
      const items = behind.slice(0, limit).map((version) => shown(document, version));
      const last = behind.length > limit ? items.at(-1) : undefined;
      return { items, nextCursor: last ? String(last.number) : '', ...(includeTotal && { total: all.length }) };
    },

    /** With its text, where it has been read. */
    async getVersion(
      { organisationId }: ActorContext,
      id: string,
      number: number,
    ): Promise<ShownVersion & { readonly content: string }> {
      const document = await existing(organisationId, id);
      const version = shown(document, versionOf(document, number));
      const isRead = version.standing === 'EARLIER' || (version.standing === 'CURRENT' && document.status === 'READY');
      const content = isRead ? await texts.find(organisationId, version.objectKey) : undefined;
      return { ...version, content: content ?? '' };
    },

    /** CONFLICT: its bytes are not here. */
    async downloadVersion({ organisationId }: ActorContext, id: string, number: number) {
      const document = await existing(organisationId, id);
      const version = versionOf(document, number);
      const own = number === versionNumberOf(document) ? document.failure : null;
      const failure = isIncoming(version) ? version.failure : own;
      if (!hasBytes({ ...version, failure })) throw nothingUploaded();
      const { name, objectKey } = version;
      const expiresAt = new Date(clock.now().getTime() + URL_LIFETIME_MS);
      return { url: await files.presignDownload({ key: objectKey, filename: name, expiresAt }), expiresAt };
    },

    restoreVersion: (by: ActorContext, id: string, number: number): Promise<DocumentWithText> =>
      changed(by, id, (document, at) => restoreVersion(document, number, actorOf(by.actor), at)),

    deleteVersion: (by: ActorContext, id: string, number: number): Promise<DocumentWithText> =>
      changed(by, id, (document, at) => deleteVersion(document, number, at)),
  };
}

function shown(document: Document, version: DocumentVersion | IncomingVersion): ShownVersion {
  if (isIncoming(version)) return { ...version, standing: version.status };
  const isCurrent = version.number === versionNumberOf(document);
  return { ...version, standing: isCurrent ? 'CURRENT' : 'EARLIER' };
}

/** The one that is coming, as answers show it. */
export const shownIncoming = ({ incoming }: Document): ShownVersion | undefined =>
  incoming && { ...incoming, standing: incoming.status };
