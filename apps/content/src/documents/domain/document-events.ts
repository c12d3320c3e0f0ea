import { changedFields, type Change, type Fields } from '@platform-backend/core';
import { accessShown } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import { versionNumberOf, type Document } from './document.ts';

type DocumentEventName = Extract<ContentEvent['name'], `document.${string}`>;
type DataOf<Name extends DocumentEventName> = Extract<ContentEvent, { name: Name }>['data'];

/** A fact about this document; with `before`, what has changed of what the audit log shows. */
export function documentEvent<Name extends DocumentEventName>(
  name: Name,
  document: Document,
  at: Date,
  { data, before }: { data: Omit<DataOf<Name>, 'document_id'>; before?: Document | null },
): ContentEvent {
  const change = before === undefined ? {} : { change: changeOf(before, document) };
  return {
    name,
    subject: document.id,
    at,
    data: { document_id: document.id, ...data },
    ...change,
  } as unknown as ContentEvent;
}

export const documentDeleted = (document: Document, at: Date): ContentEvent => ({
  name: 'document.deleted',
  subject: document.id,
  at,
  data: { document_id: document.id, name: document.name },
  change: { before: shown(document), after: null },
});

const changeOf = (before: Document | null, after: Document): Change =>
  before ? changedFields(shown(before), shown(after)) : { before: null, after: shown(after) };

const shown = ({
  name,
  status,
  collection,
  description,
  metadata,
  incoming,
  earlier,
  retentionExempt = false,
  ...document
}: Document): Fields => ({
  name,
  status,
  collection,
  description_length: description.length,
  metadata: { ...metadata },
  retention_exempt: retentionExempt,
  version: versionNumberOf(document),
  earlier_versions: (earlier ?? []).map(({ number }) => number),
  incoming_version: incoming ? { version: incoming.number, status: incoming.status } : null,
  ...accessShown(document),
});
