import type { Effect } from './inbox.ts';

/** Removes all of one kind that an organisation has. */
export type RemoveAll<Transaction> = (transaction: Transaction, organisationId: string) => Promise<unknown>;

/**
 * The reaction of a service whose data can go in one transaction: removes one kind after the other, what is made of
 * something else before it.
 */
export const onOrganisationDeleted =
  <Transaction>(kinds: readonly RemoveAll<Transaction>[]): Effect<Transaction> =>
  async (transaction, { organisationId }) => {
    for (const removeAll of kinds) await removeAll(transaction, organisationId);
  };
