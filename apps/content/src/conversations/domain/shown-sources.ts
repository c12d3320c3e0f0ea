import type { Citation } from './citations.ts';
import type { Message } from './message.ts';

/** A source that an answer stands on, or that a question names. */
export interface SourceRef {
  readonly kind: 'DOCUMENT' | 'CONVENTION';
  readonly id: string;
}

interface Named {
  readonly type: string;
  readonly id: string;
}

const KINDS: Readonly<Record<string, SourceRef['kind']>> = { document: 'DOCUMENT', convention: 'CONVENTION' };

/** Lists of documents that belong to the question of an answer. */
const FILES = ['cut_attachments', 'missing_attachments', 'unread_attachments'] as const;

const filesOf = ({ annotations }: Message, name: (typeof FILES)[number]) =>
  (annotations[name] ?? []) as readonly string[];
const citationsOf = ({ annotations }: Message) => (annotations['citations'] ?? []) as readonly Citation[];
const contextOf = ({ annotations }: Message) => (annotations['context'] ?? []) as readonly Named[];

const refOfCitation = ({ kind, id }: Citation): SourceRef | undefined =>
  kind === 'MESSAGE' ? undefined : { kind, id };
const refOfNamed = ({ type, id }: Named): SourceRef | undefined => {
  const kind = KINDS[type];
  return kind && { kind, id };
};

const refOfFile = (id: string): SourceRef => ({ kind: 'DOCUMENT', id });

/** What of a message says something of documents and conventions. */
export const sourcesOf = (message: Message): readonly SourceRef[] => [
  ...citationsOf(message).flatMap((citation) => refOfCitation(citation) ?? []),
  ...contextOf(message).flatMap((named) => refOfNamed(named) ?? []),
  ...FILES.flatMap((name) => filesOf(message, name)).map(refOfFile),
];

/** The message without those of its sources that are not to be shown; what its text says was said. */
export function withShownSources(message: Message, isShown: (source: SourceRef) => boolean): Message {
  if (sourcesOf(message).every(isShown)) return message;
  const shows = (ref: SourceRef | undefined): boolean => ref === undefined || isShown(ref);
  const {
    citations: _citations,
    context: _context,
    cut_attachments: _cut,
    missing_attachments: _missing,
    unread_attachments: _unread,
    ...annotations
  } = message.annotations;
  const citations = citationsOf(message).filter((citation) => shows(refOfCitation(citation)));
  const context = contextOf(message).filter((named) => shows(refOfNamed(named)));
  const files = FILES.flatMap((name) => {
    const ids = filesOf(message, name).filter((id) => isShown(refOfFile(id)));
    return ids.length > 0 ? [[name, ids] as const] : [];
  });
  return {
    ...message,
    annotations: {
      ...annotations,
      ...(message.annotations['citations'] !== undefined && { citations }),
      ...(message.annotations['context'] !== undefined && { context }),
      ...Object.fromEntries(files),
    },
  };
}

/** The message with those of its files that are there for whoever reads it. */
export function withShownAttachments(message: Message, ids: ReadonlySet<string>): Message {
  const { attachments, ...rest } = message;
  if (!attachments || attachments.every(({ documentId }) => ids.has(documentId))) return message;
  const shown = attachments.filter(({ documentId }) => ids.has(documentId));
  return shown.length > 0 ? { ...rest, attachments: shown } : rest;
}
