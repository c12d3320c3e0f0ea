import type { Document } from '../domain/document.ts';
import { requestUpload } from '../domain/upload-document.ts';

export const noon = new Date('2026-01-01T12:00:00Z');
export const minutesLater = (minutes: number, from = noon): Date => new Date(from.getTime() + minutes * 60_000);

export const KEY = 'org_1/documents/document-1/first';

const wanted = { id: 'document-1', name: 'report.pdf', contentType: 'application/pdf', collection: '' };

/** A document whose upload is awaited, but for these fields. */
export const document = (fields: Partial<Document> = {}): Document => ({
  ...requestUpload(undefined, { ...wanted, newKey: KEY, nextPollAt: minutesLater(1), made: {} }, noon).state,
  ...fields,
});
