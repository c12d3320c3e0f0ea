import type { Area } from '@platform-backend/service';
import type { IdentityContext, service } from '../service.ts';
import { auditHandlers } from './api/audit-handlers.ts';
import { onAuditRecorded } from './reactions/on-audit-recorded.ts';
import { auditLogStore } from './store/audit-log-store.ts';
import { addForeignEntry } from './store/record-events.ts';

/** The audit log: who changed what and when, here and in every other service. */
export const auditArea = ({ storage }: IdentityContext) =>
  ({
    handlers: { AuditService: auditHandlers(auditLogStore(storage.database)) },
    reactions: { 'identity-on-audit-recorded': onAuditRecorded(addForeignEntry) },
    exports: {},
  }) satisfies Area<typeof service.declaration>;
