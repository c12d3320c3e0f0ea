import type {
  DocumentImportInput,
  DocumentImportItemInput,
  DocumentImportServiceHandlers,
} from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessOf } from '../../access/api/access-messages.ts';
import { documentMessage } from '../../documents/api/document-handlers.ts';
import { requireMetadata } from '../../documents/domain/metadata.ts';
import type { CountedImport, ImportUseCases } from '../app/imports.ts';
import type { ImportItem, ImportItemStatus } from '../domain/imports.ts';

export const importHandlers = (app: ImportUseCases): DocumentImportServiceHandlers<CallContext> => ({
  async importDocument({ collection, metadata: known, access, ...address }, context) {
    requireName('body', address);
    const by = context.actorContext();
    const wanted = { collection, metadata: requireMetadata(known), access: accessOf(access) };
    return documentMessage(by.organisationId, { ...(await app.importDocument(by, address, wanted)), content: '' });
  },

  async createDocumentImport({ items, collection, metadata: known, access }, context) {
    items.forEach((address, index) => requireName(['body', 'items', index], address));
    const wanted = { collection, metadata: requireMetadata(known), access: accessOf(access) };
    return importMessage(await app.createImport(context.actorContext(), items, wanted));
  },

  listDocumentImports: async (request, context) =>
    listAnswer('imports', await app.listImports(context.actorContext(), request), importMessage),

  getDocumentImport: async ({ importId }, context) =>
    importMessage(await app.getImport(context.actorContext(), importId)),

  cancelDocumentImport: async ({ importId }, context) =>
    importMessage(await app.cancelImport(context.actorContext(), importId)),

  retryDocumentImport: async ({ importId }, context) =>
    importMessage(await app.retryImport(context.actorContext(), importId)),

  async listDocumentImportItems({ importId, ...wanted }, context) {
    const { items, nextCursor } = await app.listItems(context.actorContext(), importId, wanted);
    return { items: items.map(itemMessage), nextCursor };
  },
});

/** Unless it is as the answer or the address says. */
function requireName(where: Parameters<typeof requireVisible>[0], { name }: { readonly name: string }): void {
  if (name !== '') requireVisible(where, { name });
}

const importMessage = ({ id, createdAt, userId, total, counts }: CountedImport): DocumentImportInput => ({
  ...{ id, createdAt, createdBy: userId, total },
  ...{ queued: counts.QUEUED ?? 0, fetching: counts.FETCHING ?? 0, imported: counts.IMPORTED ?? 0 },
  ...{ failed: counts.FAILED ?? 0, cancelled: counts.CANCELLED ?? 0 },
});

const itemMessage = ({ status, ...item }: ImportItem): DocumentImportItemInput => {
  const { number, url, documentId, sizeBytes, failure } = item;
  return { number, url, documentId, status: status satisfies ImportItemStatus, sizeBytes, failure };
};
