import type { Database } from '@platform-backend/postgres';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import { changeOfRow, progressColumns } from './subscription-columns.ts';

/** Changes of all organisations that are not over, for whoever has to look at them. */
export const openChangesStore = (database: Database) => ({
  /** The longest waiting first. */
  list: (): Promise<readonly SubscriptionChange[]> =>
    database.system({ 'app.schedule': 'subscriptions' }, async (trx) => {
      const rows = await trx('subscription_changes').whereNot('state', 'done').orderBy('started_at').select<object[]>();
      return rows.map(changeOfRow);
    }),

  /** `decide` sees the locked change; null: it stays as it is. */
  update: (
    { organisationId, id }: SubscriptionChange,
    decide: (change: SubscriptionChange) => SubscriptionChange | null,
  ): Promise<SubscriptionChange | null> =>
    database.tenant(organisationId, async (trx) => {
      const named = { organisation_id: organisationId, id };
      const row = await trx('subscription_changes').where(named).forUpdate().first<object | undefined>();
      const after = row ? decide(changeOfRow(row)) : null;
      if (!after) return null;
      const { leaseUntil } = after;
      await trx('subscription_changes')
        .where(named)
        .update({ ...progressColumns.write(after), lease_until: leaseUntil });
      return after;
    }),
});
