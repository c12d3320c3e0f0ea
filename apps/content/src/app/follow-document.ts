import { notFound } from '@platform/core';
import { hasSettled, stepOf, type Document } from '../domain/documents/document.ts';
import type { Documents } from '../domain/documents/documents.ts';

export interface DocumentUpdate {
  /** Of what is told with it. */
  readonly step: string;
  readonly document: Document;
  /** Nothing comes after it. */
  readonly isLast: boolean;
}

export interface FollowedDocument {
  readonly organisationId: string;
  readonly id: string;
  /** The step that the reader knows already; empty: none. */
  readonly known: string;
  readonly signal: AbortSignal;
}

/** How often it is looked up; whichever process works on it writes no more often. */
const LOOK_MS = 500;

/**
 * A document now and whenever it has come further, until it is where it stays. Whoever reads slowly misses steps in between,
 * and nothing piles up. NOT_FOUND, at once or later: it is not there.
 */
export async function* followDocument(
  documents: Pick<Documents, 'find'>,
  { organisationId, id, known, signal }: FollowedDocument,
): AsyncGenerator<DocumentUpdate> {
  let told = known;
  while (!signal.aborted) {
    const document = await documents.find(organisationId, id);
    if (!document) throw notFound('Document');
    const [step, isLast] = [stepOf(document), hasSettled(document)];
    if (step !== told) yield { step, document, isLast };
    if (isLast) return;
    told = step;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
