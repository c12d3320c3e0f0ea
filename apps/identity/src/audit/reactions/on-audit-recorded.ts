import type { AuditRecorded } from '@platform-backend/contract-identity/events';
import { auditEntryFrom, type AuditEntry } from '@platform-backend/core';
import type { Effect } from '@platform-backend/events';

type AddEntry<Transaction> = (transaction: Transaction, organisationId: string, entry: AuditEntry) => Promise<void>;

const OWN = 'platform.v1.identity.audit.recorded';

/** Takes the changes of other services into the audit log. Our own are there already, by the transaction of the change. */
export const onAuditRecorded =
  <Transaction>(add: AddEntry<Transaction>): Effect<Transaction, AuditRecorded> =>
  async (transaction, { type, organisationId, data }) => {
    if (type !== OWN) await add(transaction, organisationId, auditEntryFrom(data));
  };
