import type { Database, Knex } from '@platform/postgres';
import type { AuditEntry, AuditFilter, AuditLog } from '../domain/audit/audit-entry.ts';
import type { Fields } from '../domain/identity-event.ts';
import { listPage } from '@platform/postgres';

/** The audit log in PostgreSQL; `recordEvents` writes it. */
export const auditLogStore = (database: Database): AuditLog => ({
  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(entriesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(entryOfRow),
      }),
    ),
});

interface AuditRow {
  id: string;
  created_at: Date;
  actor_type: AuditEntry['actorType'];
  actor_id: string;
  actor_name: string;
  on_behalf_of_user_id: string | null;
  on_behalf_of_user_name: string | null;
  action: string;
  target_type: string;
  target_id: string;
  before: Fields | null;
  after: Fields | null;
  request_id: string;
}

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
  return entries as Knex.QueryBuilder<object, AuditRow[]>;
}

const entryOfRow = (row: AuditRow): AuditEntry => ({
  id: row.id,
  createdAt: row.created_at,
  actorType: row.actor_type,
  actorId: row.actor_id,
  actorName: row.actor_name,
  onBehalfOf:
    row.on_behalf_of_user_id === null ? null : { id: row.on_behalf_of_user_id, name: row.on_behalf_of_user_name ?? '' },
  action: row.action,
  targetType: row.target_type,
  targetId: row.target_id,
  before: row.before,
  after: row.after,
  requestId: row.request_id,
});
