import type { Document } from '../../documents/domain/document.ts';

/** What a client wants an assistant to look at. */
export interface NamedEntity {
  readonly type: string;
  readonly id: string;
}

/** What became of it; kept with the answer. */
export interface ResolvedEntity extends NamedEntity {
  /** Of a document that cannot be searched yet, or never will be, its own. */
  readonly status: 'RESOLVED' | UnreadStatus | 'NOT_FOUND' | 'NOT_AVAILABLE';
  readonly title?: string;
  /** For people: why an answer does not stand on it. */
  readonly note?: string;
}

export type UnreadStatus = 'PENDING_UPLOAD' | 'PROCESSING' | 'FAILED';

/** A document that is there and has not been read; undefined for what counts as not there. */
export function unreadDocument({
  id,
  name,
  status,
  failure,
}: Pick<Document, 'id' | 'name' | 'status' | 'failure'>): ResolvedEntity | undefined {
  const unread = { type: 'document', id, title: name };
  switch (status) {
    case 'PENDING_UPLOAD':
      return { ...unread, status, note: `“${name}” has not been uploaded yet, so this answer does without it.` };
    // Ready a moment later than it could not be found.
    case 'READY':
    case 'UPLOADED':
    case 'PROCESSING':
      return {
        ...unread,
        status: 'PROCESSING',
        note: `“${name}” is still being read, so this answer does without it. Ask again when it is ready.`,
      };
    case 'FAILED':
      return {
        ...unread,
        status,
        note: `“${name}” could not be read, so this answer does without it. ${failure?.message ?? ''}`.trim(),
      };
    case 'EXPIRED':
    case 'ARCHIVED':
      return undefined;
  }
}

/** Of one turn; what is beyond is left out. */
const MAX_ENTITIES = 50;

/** Those that name something: entities are free JSON, and clients send of all kinds. */
export function namedEntities(entities: readonly unknown[]): readonly NamedEntity[] {
  const named = entities.flatMap((entity) => {
    const { type, id } = (typeof entity === 'object' && entity !== null ? entity : {}) as Record<string, unknown>;
    const isNamed = typeof type === 'string' && typeof id === 'string' && id !== '';
    return isNamed && type.length <= 100 && id.length <= 200 ? [{ type: type.toLowerCase(), id }] : [];
  });
  const once = new Map(named.map((entity) => [`${entity.type}/${entity.id}`, entity]));
  return [...once.values()].slice(0, MAX_ENTITIES);
}
