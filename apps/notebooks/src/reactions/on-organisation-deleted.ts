import type { Effect } from '@platform/events';

/** Removes all of one kind that an organisation has. */
export type RemoveAll<Transaction> = (transaction: Transaction, organisationId: string) => Promise<unknown>;

/** One kind after the other: what is made of something else goes before it. */
export const onOrganisationDeleted =
  <Transaction>(kinds: readonly RemoveAll<Transaction>[]): Effect<Transaction> =>
  async (transaction, { organisationId }) => {
    for (const removeAll of kinds) await removeAll(transaction, organisationId);
  };
