import type { Actor, ActorContext, NamedUser } from './actor.ts';
import type { Change, DomainEvent, Fields } from './decision.ts';
import { beginningInBytes } from './text-beginning.ts';

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

/** The payload of `audit.recorded`, which every domain publishes (protos/platform/events/v1/audit.proto). */
export type AuditRecordedData = ReturnType<typeof dataOf>;

/** The one place where audit entries come from: every event with a change is one, so no use case can forget it. */
export const auditEntryOf = (
  event: DomainEvent & { readonly change: Change },
  { actor, requestId }: ActorContext,
  id: string,
): AuditEntry => ({
  id,
  createdAt: event.at,
  actorType: actor.type,
  actorId: actor.id,
  actorName: actor.name,
  onBehalfOf: actor.onBehalfOf ?? null,
  action: event.name,
  targetType: event.name.slice(0, event.name.indexOf('.')),
  targetId: event.subject,
  before: event.change.before && shortFields(event.change.before),
  after: event.change.after && shortFields(event.change.after),
  requestId,
});

/** Tells those who collect audit entries that there is one. */
export const auditRecorded = (entry: AuditEntry): DomainEvent<'audit.recorded', AuditRecordedData> => ({
  name: 'audit.recorded',
  subject: entry.id,
  at: entry.createdAt,
  data: dataOf(entry),
});

const dataOf = (entry: AuditEntry) => ({
  audit_entry_id: entry.id,
  actor_type: entry.actorType,
  actor_id: entry.actorId,
  actor_name: entry.actorName,
  on_behalf_of_user_id: entry.onBehalfOf?.id ?? null,
  on_behalf_of_user_name: entry.onBehalfOf?.name ?? null,
  action: entry.action,
  target_type: entry.targetType,
  target_id: entry.targetId,
  before: entry.before,
  after: entry.after,
  request_id: entry.requestId,
  at: entry.createdAt.toISOString(),
});

/** The entry that was published so. */
export const auditEntryFrom = (
  data: Omit<AuditRecordedData, 'actor_type'> & { readonly actor_type: string },
): AuditEntry => ({
  id: data.audit_entry_id,
  createdAt: new Date(data.at),
  actorType: data.actor_type as Actor['type'],
  actorId: data.actor_id,
  actorName: data.actor_name,
  onBehalfOf:
    data.on_behalf_of_user_id === null
      ? null
      : { id: data.on_behalf_of_user_id, name: data.on_behalf_of_user_name ?? '' },
  action: data.action,
  targetType: data.target_type,
  targetId: data.target_id,
  before: data.before,
  after: data.after,
  requestId: data.request_id,
});

/** An entry shows lists and texts up to about this many bytes as JSON, so that a page of entries stays readable. */
const maxBytes = 8 * 1024;

const shortFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, short(value)]));

/** Of a list that is longer its beginning, and how many entries were left out; of a text its beginning. */
function short(value: unknown): unknown {
  if (typeof value === 'string') {
    const beginning = beginningInBytes(value, maxBytes);
    return beginning === value ? value : `${beginning}…`;
  }
  if (Array.isArray(value)) {
    const items = value.map(short);
    let bytes = 0;
    const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > maxBytes);
    if (end === -1) return items;
    const shown = Math.max(1, end);
    return shown === items.length ? items : [...items.slice(0, shown), `and ${items.length - shown} more`];
  }
  // A date says itself how it stands in JSON.
  return isRecord(value) ? shortFields(value) : value;
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !('toJSON' in value);
