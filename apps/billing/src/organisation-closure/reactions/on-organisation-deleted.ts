import type { Effect } from '@platform-backend/events';

type BeginClosure<Transaction> = (transaction: Transaction, organisationId: string, deletedAt: Date) => Promise<void>;

/** Writes down that an organisation was deleted; what is due then takes other parties and is for the schedule to do. */
export const onOrganisationDeleted =
  <Transaction>(begin: BeginClosure<Transaction>): Effect<Transaction> =>
  (transaction, { organisationId, time }) =>
    begin(transaction, organisationId, time);
