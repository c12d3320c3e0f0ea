import type { ActorContext, Clock } from '@platform-backend/core';
import type { PassageStore } from '../../passages/domain/passage-store.ts';
import type { DocumentDecision } from '../domain/document-decision.ts';
import type { Document } from '../domain/document.ts';
import type { Documents, DocumentTexts } from '../domain/documents.ts';
import { documentNotFound } from '../domain/errors.ts';

export interface StoredDocumentPorts {
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly passageStore: Pick<PassageStore, 'find'>;
  /** Of the vectors by which meanings are compared now. */
  readonly model: string;
  readonly clock: Clock;
  /** Has what is due done soon. */
  readonly wake: () => void;
}

/** With its text and by what it is found, once it is READY; else the text is empty. */
export type DocumentWithText = Document & {
  readonly content: string;
  readonly foundBy?: 'meaning' | 'words' | undefined;
};

/** What all use cases of documents do with those that are stored. */
export function storedDocuments({ documents, texts, passageStore, model, clock, wake }: StoredDocumentPorts) {
  /** Changes the document, and has what follows from it done soon. */
  const change = async (
    by: ActorContext,
    id: string,
    decide: (document: Document | undefined, at: Date) => DocumentDecision,
  ): Promise<Document> => {
    const at = clock.now();
    const result = await documents.updateWithFollowUp(by, id, at, (document) => decide(document, at));
    wake();
    return result;
  };

  async function withText(organisationId: string, document: Document): Promise<DocumentWithText> {
    if (document.status !== 'READY') return { ...document, content: '' };
    const content = await texts.find(organisationId, document.objectKey);
    const source = await passageStore.find(organisationId, 'DOCUMENT', document.id);
    return { ...document, content: content ?? '', foundBy: source?.model === model ? 'meaning' : 'words' };
  }

  return {
    change,
    withText,
    changed: async (...wanted: Parameters<typeof change>): Promise<DocumentWithText> =>
      withText(wanted[0].organisationId, await change(...wanted)),
    existing: async (organisationId: string, id: string): Promise<Document> => {
      const document = await documents.find(organisationId, id);
      if (!document) throw documentNotFound();
      return document;
    },
  };
}
