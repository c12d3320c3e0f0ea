import type { Database } from '@platform-backend/postgres';
import type { OpenChanges } from '../domain/open-changes.ts';
import { changeOfRow, progressColumns } from './subscription-columns.ts';

/** Open changes in PostgreSQL. */
export const openChangesStore = (database: Database): OpenChanges => ({
  list: () =>
    database.system({ 'app.schedule': 'subscriptions' }, async (trx) => {
      const rows = await trx('subscription_changes').whereNot('state', 'done').orderBy('started_at').select<object[]>();
      return rows.map(changeOfRow);
    }),

  update: ({ organisationId, id }, decide) =>
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
