import type {
  AuditEntryInput,
  AuditServiceHandlers,
  ListAuditEntriesRequest,
} from '@platform-backend/contract-identity';
import type { AuditEntry } from '@platform-backend/core';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { AuditFilter, AuditLog } from '../domain/audit-log.ts';

/** The log is only read, so there is no use case between. */
export const auditHandlers = (auditLog: AuditLog): AuditServiceHandlers<CallContext> => ({
  listAuditEntries: async (request, context) =>
    listAnswer('entries', await auditLog.list(context.organisationId(), filterOf(request), request), entryMessage),
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
  ...entry,
  onBehalfOfUserId: entry.onBehalfOf?.id ?? null,
  onBehalfOfUserName: entry.onBehalfOf?.name ?? null,
  before: entry.before as AuditEntryInput['before'],
  after: entry.after as AuditEntryInput['after'],
});
