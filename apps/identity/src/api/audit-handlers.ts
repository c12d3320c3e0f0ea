import type { AuditEntryInput, AuditServiceHandlers, ListAuditEntriesRequest } from '@platform/contract/identity';
import type { CallContext } from '@platform/grpc';
import type { IdentityApp } from '../app/identity-app.ts';
import type { AuditEntry, AuditFilter } from '../domain/audit/audit-entry.ts';

export const auditHandlers = (app: IdentityApp): AuditServiceHandlers<CallContext> => ({
  async listAuditEntries(request, context) {
    const page = await app.listAuditEntries(context.organisationId(), filterOf(request), request);
    return { entries: page.items.map(entryMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },
});

/** An empty text is a filter that was not given. */
const filterOf = (request: ListAuditEntriesRequest): AuditFilter => ({
  ...(request.actorId !== '' && { actorId: request.actorId }),
  ...(request.onBehalfOfUserId !== '' && { onBehalfOfUserId: request.onBehalfOfUserId }),
  ...(request.action !== '' && { action: request.action }),
  ...(request.targetType !== '' && { targetType: request.targetType }),
  ...(request.targetId !== '' && { targetId: request.targetId }),
  ...(request.createdAfter && { createdAfter: request.createdAfter }),
  ...(request.createdBefore && { createdBefore: request.createdBefore }),
});

const entryMessage = (entry: AuditEntry): AuditEntryInput => ({
  id: entry.id,
  createdAt: entry.createdAt,
  actorType: entry.actorType,
  actorId: entry.actorId,
  actorName: entry.actorName,
  onBehalfOfUserId: entry.onBehalfOf?.id ?? null,
  onBehalfOfUserName: entry.onBehalfOf?.name ?? null,
  action: entry.action,
  targetType: entry.targetType,
  targetId: entry.targetId,
  before: entry.before as AuditEntryInput['before'],
  after: entry.after as AuditEntryInput['after'],
  requestId: entry.requestId,
});
