import type { Acting, Actor, NamedUser } from '../acting.ts';
import type { Fields, IdentityEvent } from '../identity-event.ts';
import type { Page, PageRequest } from '@platform/core';

/** Who changed what and when. Never changed and never deleted. */
export interface AuditEntry {
  readonly id: string;
  readonly createdAt: Date;
  readonly actorType: Actor['type'];
  readonly actorId: string;
  readonly actorName: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly onBehalfOf: NamedUser | null;
  /** The event's name: `client_group.updated`. */
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  /** The changed fields before; null where there was nothing. */
  readonly before: Fields | null;
  /** The changed fields after; null where there is nothing. */
  readonly after: Fields | null;
  readonly requestId: string;
}

/** The one place where audit entries come from: every event is one, so no use case can forget it. */
export const auditEntryOf = (event: IdentityEvent, { actor, requestId }: Acting, id: string): AuditEntry => ({
  id,
  createdAt: event.at,
  actorType: actor.type,
  actorId: actor.id,
  actorName: actor.name,
  onBehalfOf: actor.onBehalfOf ?? null,
  action: event.name,
  targetType: event.name.slice(0, event.name.indexOf('.')),
  targetId: event.targetId,
  before: event.change.before && shortFields(event.change.before),
  after: event.change.after && shortFields(event.change.after),
  requestId,
});

/** An entry shows lists up to about this many bytes as JSON, so that a page of entries stays readable. */
const longestList = 8 * 1024;

const shortFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, short(value)]));

/** Of a list that is longer its beginning, and how many entries were left out. */
function short(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(short);
    let bytes = 0;
    const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > longestList);
    if (end === -1) return items;
    const shown = Math.max(1, end);
    return shown === items.length ? items : [...items.slice(0, shown), `and ${items.length - shown} more`];
  }
  return typeof value === 'object' && value !== null ? shortFields(value as Fields) : value;
}

export interface AuditFilter {
  readonly actorId?: string;
  readonly onBehalfOfUserId?: string;
  readonly action?: string;
  readonly targetType?: string;
  readonly targetId?: string;
  /** Exclusive. */
  readonly createdAfter?: Date;
  /** Exclusive. */
  readonly createdBefore?: Date;
}

/** Reads the audit log; entries get there only together with the change they tell of. */
export interface AuditLog {
  /** Newest first. */
  list(organisationId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
}
