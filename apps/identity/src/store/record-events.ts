import { newId } from '@platform/core';
import { appendToOutbox, type Event } from '@platform/events';
import type { Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import { auditEntryOf, type AuditEntry } from '../domain/audit/audit-entry.ts';
import type { Fields, IdentityEvent } from '../domain/identity-event.ts';

/**
 * Writes what has happened into the audit log and the outbox, in the transaction of the change itself. Every store
 * calls it with a decision's events, so a change without its audit entry cannot be written.
 */
export async function recordEvents(trx: Knex.Transaction, by: Acting, events: readonly IdentityEvent[]): Promise<void> {
  if (events.length === 0) return;
  const named = await withActorName(trx, by);
  const entries = events.map((event) => auditEntryOf(event, named, newId()));
  await trx('audit_entries').insert(entries.map((entry) => auditRow(entry, by.organisationId)));
  await appendToOutbox(trx, [
    ...events.map((event) => outgoing(named, event.name, event.targetId, event.data, event.at)),
    ...entries.map((entry) => outgoing(named, 'audit.recorded', entry.id, auditRecorded(entry), entry.createdAt)),
  ]);
}

/**
 * A caller assertion carries no key's name, so it is looked up where a change is made with a key. Of a
 * name that is longer than the contract allows by now, events and history get the beginning.
 */
async function withActorName(trx: Knex.Transaction, by: Acting): Promise<Acting> {
  if (by.actor.type !== 'api_key') return by;
  const name = trx.raw<{ name: string }>('left(name, 2000) AS name');
  const key = await trx('api_keys').where({ id: by.actor.id }).first<{ name: string } | undefined>(name);
  return { ...by, actor: { ...by.actor, name: key?.name ?? by.actor.name } };
}

const outgoing = (by: Acting, name: string, subject: string, data: Fields, time: Date): Event => ({
  type: `platform.v1.identity.${name}`,
  organisationId: by.organisationId,
  subject,
  data,
  time,
  actor: {
    kind: by.actor.type,
    id: by.actor.id,
    name: by.actor.name,
    ...(by.actor.onBehalfOf && { onBehalfOf: by.actor.onBehalfOf }),
  },
  requestId: by.requestId,
});

const auditRecorded = (entry: AuditEntry): Fields => ({
  audit_entry_id: entry.id,
  actor_type: entry.actorType,
  actor_id: entry.actorId,
  actor_name: entry.actorName,
  on_behalf_of_user_id: entry.onBehalfOf?.id ?? null,
  on_behalf_of_user_name: entry.onBehalfOf?.name ?? null,
  action: entry.action,
  target_type: entry.targetType,
  target_id: entry.targetId,
});

const auditRow = (entry: AuditEntry, organisationId: string) => ({
  id: entry.id,
  organisation_id: organisationId,
  created_at: entry.createdAt,
  actor_type: entry.actorType,
  actor_id: entry.actorId,
  actor_name: entry.actorName,
  on_behalf_of_user_id: entry.onBehalfOf?.id ?? null,
  on_behalf_of_user_name: entry.onBehalfOf?.name ?? null,
  action: entry.action,
  target_type: entry.targetType,
  target_id: entry.targetId,
  before: entry.before && JSON.stringify(entry.before),
  after: entry.after && JSON.stringify(entry.after),
  request_id: entry.requestId,
});
