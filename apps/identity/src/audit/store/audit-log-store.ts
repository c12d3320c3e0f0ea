import type { AuditEntry, NamedUser } from '@platform-backend/core';
import { columns, jsonColumn, listPage, nullable, type Database, type Knex } from '@platform-backend/postgres';
import type { AuditFilter, AuditLog } from '../domain/audit-log.ts';

export const auditEntryColumns = columns<AuditEntry>({
  id: 'id',
  createdAt: 'created_at',
  actorType: 'actor_type',
  actorId: 'actor_id',
  actorName: 'actor_name',
  onBehalfOf: nullable(columns<NamedUser>({ id: 'on_behalf_of_user_id', name: 'on_behalf_of_user_name' })),
  action: 'action',
  targetType: 'target_type',
  targetId: 'target_id',
  before: jsonColumn('before'),
  after: jsonColumn('after'),
  requestId: 'request_id',
});

/** The audit log in PostgreSQL; `recordEvents` writes it. */
export const auditLogStore = (database: Database): AuditLog => ({
  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(entriesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(auditEntryColumns.read),
      }),
    ),
});

function entriesLike(trx: Knex.Transaction, organisationId: string, filter: AuditFilter) {
  const entries = trx('audit_entries').where({ organisation_id: organisationId });
  const exact = {
    actor_id: filter.actorId,
    on_behalf_of_user_id: filter.onBehalfOfUserId,
    action: filter.action,
    target_type: filter.targetType,
    target_id: filter.targetId,
  };
  for (const [column, value] of Object.entries(exact)) if (value !== undefined) void entries.where(column, value);
  if (filter.createdAfter) void entries.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore) void entries.where('created_at', '<', filter.createdBefore);
  return entries;
}
