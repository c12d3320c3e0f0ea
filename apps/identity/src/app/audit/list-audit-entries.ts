import type { AuditEntry, AuditFilter } from '../../domain/audit/audit-entry.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** Who changed what and when. */
export const listAuditEntries =
  ({ auditLog }: IdentityParts) =>
  (organisationId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> =>
    auditLog.list(organisationId, filter, page);
