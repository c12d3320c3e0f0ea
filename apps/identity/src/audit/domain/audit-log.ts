import type { AuditEntry, Page, PageRequest } from '@platform-backend/core';

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

/** Reads the audit log; entries get there with the change they tell of, or as another service has published them. */
export interface AuditLog {
  /** Newest first. */
  readonly list: (organisationId: string, filter: AuditFilter, page: PageRequest) => Promise<Page<AuditEntry>>;
}
