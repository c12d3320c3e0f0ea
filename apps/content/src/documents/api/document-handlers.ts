import type {
  DocumentInput,
  DocumentServiceHandlers,
  DocumentStatus as StatusInContract,
  DocumentUploadInput,
  DocumentVersionInput,
  DocumentVersionStatus as VersionStatusInContract,
} from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessMessage, accessOf } from '../../access/api/access-messages.ts';
import type { DocumentChunks } from '../app/document-chunks.ts';
import { shownIncoming, type DocumentVersions, type ShownVersion } from '../app/document-versions.ts';
import type { DocumentUseCases, RequestedUpload } from '../app/documents.ts';
import type { DocumentWithText } from '../app/stored-documents.ts';
import { versionNumberOf, type Document } from '../domain/document.ts';
import { requireMetadata } from '../domain/metadata.ts';

export const documentHandlers = (
  app: DocumentUseCases & DocumentChunks & DocumentVersions,
): DocumentServiceHandlers<CallContext> => ({
  async uploadDocument({ id, name, contentType, collection, sizeBytes, access, metadata: known }, context) {
    requireVisible('body', { name });
    const metadata = requireMetadata(known);
    const bytes = sizeBytes === null ? undefined : Number(sizeBytes);
    const wanted = { id, name, contentType, collection, metadata, bytes, access: accessOf(access) };
    return uploadMessage(await app.uploadDocument(context.actorContext(), wanted));
  },

  async listDocuments({ metadata: labels, ...request }, context) {
    const by = context.actorContext();
    const page = await app.listDocuments(by, { ...request, labels });
    return listAnswer('documents', page, (document) =>
      documentMessage(by.organisationId, { ...document, content: '' }),
    );
  },

  async getStorage(_request, context) {
    const { bytes, documents, maxBytes } = await app.getStorage(context.actorContext());
    return { usedBytes: bytes, maxBytes: maxBytes ?? null, documentCount: documents };
  },

  getDocument: answering((by, id) => app.getDocument(by, id)),

  async *watchDocument({ documentId, lastEventId }, context) {
    const { signal } = context;
    const updates = app.watchDocument(context.actorContext(), documentId, { known: lastEventId, signal });
    for await (const { revision, state, isLast } of updates) {
      const { status, progress, failure } = state;
      yield {
        eventId: revision,
        event: isLast ? 'finished' : 'progress',
        data: { documentId, status, progress, failure, incomingVersion: incomingMessage(state) },
      };
    }
  },

  async updateDocument({ documentId, name, description, collection, metadata, updateMask }, context) {
    const by = context.actorContext();
    const wanted = fieldsGiven(updateMask, { name, description, collection, metadata });
    if (wanted.metadata) requireMetadata(wanted.metadata);
    requireVisible('body', { name: wanted.name });
    return documentMessage(by.organisationId, await app.updateDocument(by, documentId, wanted));
  },

  setDocumentAccess: async ({ documentId, ...access }, context) =>
    accessMessage(await app.setDocumentAccess(context.actorContext(), documentId, access)),

  async setDocumentRetention({ documentId, exempt }, context) {
    const by = context.actorContext();
    return documentMessage(by.organisationId, await app.exemptDocument(by, documentId, exempt));
  },

  completeDocumentUpload: answering((by, id) => app.completeDocumentUpload(by, id)),
  archiveDocument: answering((by, id) => app.archiveDocument(by, id)),
  restoreDocument: answering((by, id) => app.restoreDocument(by, id)),
  retryDocument: answering((by, id) => app.retryDocument(by, id)),

  async deleteDocument({ documentId }, context) {
    const { id } = await app.deleteDocument(context.actorContext(), documentId);
    return { id, deleted: true };
  },

  async downloadDocument({ documentId }, context) {
    const { url, expiresAt } = await app.downloadDocument(context.actorContext(), documentId);
    return { signedUrl: url, expiresAt };
  },

  async uploadDocumentVersion({ documentId, name, contentType, sizeBytes }, context) {
    if (name !== '') requireVisible('body', { name });
    const wanted = { name, contentType, bytes: sizeBytes === null ? undefined : Number(sizeBytes) };
    return uploadMessage(await app.uploadVersion(context.actorContext(), documentId, wanted));
  },

  listDocumentVersions: async ({ documentId, ...page }, context) =>
    listAnswer('versions', await app.listVersions(context.actorContext(), documentId, page), versionMessage),

  getDocumentVersion: async ({ documentId, version }, context) =>
    versionMessage(await app.getVersion(context.actorContext(), documentId, version)),

  async downloadDocumentVersion({ documentId, version }, context) {
    const { url, expiresAt } = await app.downloadVersion(context.actorContext(), documentId, version);
    return { signedUrl: url, expiresAt };
  },

  async restoreDocumentVersion({ documentId, version }, context) {
    const by = context.actorContext();
    return documentMessage(by.organisationId, await app.restoreVersion(by, documentId, version));
  },

  async deleteDocumentVersion({ documentId, version }, context) {
    const by = context.actorContext();
    return documentMessage(by.organisationId, await app.deleteVersion(by, documentId, version));
  },

  async listDocumentChunks({ documentId, ...request }, context) {
    const { items, nextCursor } = await app.listDocumentChunks(context.actorContext(), documentId, request);
    return { chunks: items.map(({ page, ...chunk }) => ({ ...chunk, page: page ?? null })), nextCursor };
  },
});

const uploadMessage = ({ url, form, document, ...upload }: RequestedUpload): DocumentUploadInput => ({
  ...upload,
  signedUrl: url,
  documentId: document.id,
  contentType: document.contentType,
  form: form ?? null,
});

const versionMessage = ({
  number,
  standing,
  actor,
  restoredFrom,
  failure,
  progress,
  content = '',
  ...version
}: ShownVersion & { readonly content?: string }): DocumentVersionInput => ({
  version: number,
  status: standing satisfies VersionStatusInContract,
  createdAt: version.createdAt,
  actorType: actor?.type ?? '',
  actorId: actor?.id ?? '',
  actorName: actor?.name ?? '',
  name: version.name,
  mediaType: version.mediaType,
  sizeBytes: version.sizeBytes,
  checksum: version.checksum,
  restoredFrom: restoredFrom ?? null,
  failure: failure ?? null,
  progress: progress ?? null,
  content,
});

function incomingMessage(document: Document): DocumentVersionInput | null {
  const incoming = shownIncoming(document);
  return incoming ? versionMessage(incoming) : null;
}

type ActorOf = ReturnType<CallContext['actorContext']>;

const answering =
  (find: (by: ActorOf, id: string) => Promise<DocumentWithText>) =>
  async ({ documentId }: { documentId: string }, context: CallContext): Promise<DocumentInput> => {
    const by = context.actorContext();
    return documentMessage(by.organisationId, await find(by, documentId));
  };

export const documentMessage = (organisationId: string, document: DocumentWithText): DocumentInput => ({
  id: document.id,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
  name: document.name,
  organisationId,
  status: document.status satisfies StatusInContract,
  content: document.content,
  contentIsCut: document.contentIsCut,
  pagesWithoutText: [...(document.pagesWithoutText ?? [])],
  description: document.description,
  detailedDescription: document.detailedDescription,
  numTokens: document.numTokens,
  mediaType: document.mediaType,
  sizeBytes: document.sizeBytes,
  checksum: document.checksum,
  collection: document.collection,
  language: document.language,
  pageCount: document.pageCount,
  foundBy: document.foundBy ?? null,
  failure: document.failure,
  progress: document.progress,
  access: accessMessage(document),
  version: versionNumberOf(document),
  metadata: document.metadata ?? {},
  retentionExempt: document.retentionExempt ?? false,
  importId: document.importId ?? null,
  incomingVersion: incomingMessage(document),
});
