import { auditEntryOf, auditRecorded, newId, type ActorContext, type AuditEntry } from '@platform-backend/core';
import { publishedEvent } from '@platform-backend/events';
import { appendToOutbox, type Knex } from '@platform-backend/postgres';
import type { IdentityEvent } from '../../events.ts';
import { auditEntryColumns } from './audit-log-store.ts';

/**
 * Writes what has happened into the audit log and the outbox, in the transaction of the change itself. Every store
 * calls it with a decision's events, so a change without its audit entry cannot be written.
 */
export async function recordEvents(
  trx: Knex.Transaction,
  caller: ActorContext,
  events: readonly IdentityEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const by = await withActorName(trx, caller);
  const entries = events.map((event) => auditEntryOf(event, by, newId()));
  await trx('audit_entries').insert(entries.map((entry) => rowOf(by.organisationId, entry)));
  const published = [...events, ...entries.map(auditRecorded)];
  await appendToOutbox(
    trx,
    published.map((event) => publishedEvent('identity', by, event)),
  );
}

/** Writes an entry that another service has published. Its events may come again: an entry that is there stays as it is. */
export async function addForeignEntry(trx: Knex.Transaction, organisationId: string, entry: AuditEntry): Promise<void> {
  const isByKey = entry.actorType === 'api_key';
  const actorName = isByKey ? await nameOfKey(trx, entry.actorId) : undefined;
  const row = rowOf(organisationId, { ...entry, actorName: actorName ?? entry.actorName });
  await trx('audit_entries').insert(row).onConflict().ignore();
}

const rowOf = (organisationId: string, entry: AuditEntry) => ({
  ...auditEntryColumns.write(entry),
  organisation_id: organisationId,
});

/** A caller assertion carries no key's name, so it is looked up where a change is made with a key. */
async function withActorName(trx: Knex.Transaction, by: ActorContext): Promise<ActorContext> {
  if (by.actor.type !== 'api_key') return by;
  const name = await nameOfKey(trx, by.actor.id);
  return { ...by, actor: { ...by.actor, name: name ?? by.actor.name } };
}

/** Of a name that is longer than the contract allows by now, events and history get the beginning. */
async function nameOfKey(trx: Knex.Transaction, id: string): Promise<string | undefined> {
  const name = trx.raw<{ name: string }>('left(name, 2000) AS name');
  return (await trx('api_keys').where({ id }).first<{ name: string } | undefined>(name))?.name;
}
