import { outgoingEvents } from '@platform-backend/events';
import { appendToOutbox, type Database } from '@platform-backend/mongo';
import type { RecordDebit } from '../domain/credits.ts';

const outgoing = outgoingEvents('content');

export const debitsStore =
  (database: Database): RecordDebit =>
  (by, debit) =>
    database.transaction(by.organisationId, () => appendToOutbox(database, outgoing(by, [debit])));
