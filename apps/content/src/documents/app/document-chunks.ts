import type { ActorContext } from '@platform-backend/core';
import type { PassageStore } from '../../passages/domain/passage-store.ts';
import type { Passage } from '../../passages/domain/passage.ts';
import type { Documents } from '../domain/documents.ts';
import { documentNotFound } from '../domain/errors.ts';

export type DocumentChunks = ReturnType<typeof documentChunks>;

export const documentChunks = ({
  documents,
  passageStore,
}: {
  readonly documents: Documents;
  readonly passageStore: PassageStore;
}) => ({
  /** One page of the passages of a document, in their order. */
  async listDocumentChunks(
    { organisationId }: ActorContext,
    id: string,
    { limit, cursor }: { readonly limit: number; readonly cursor: string },
  ): Promise<{ readonly items: readonly Passage[]; readonly nextCursor: string }> {
    if (!(await documents.find(organisationId, id))) throw documentNotFound();
    const source = await passageStore.find(organisationId, 'DOCUMENT', id);
    const items = source ? await passageStore.page(organisationId, source.generation, Number(cursor), limit + 1) : [];
    const next = items[limit];
    return { items: items.slice(0, limit), nextCursor: next ? String(next.ordinal) : '' };
  },
});
