import type { Database } from '@platform-backend/postgres';
import type { Trials } from '../domain/trials.ts';
import { subscriptionColumns } from './subscription-columns.ts';
import { beginChange } from './subscriptions-store.ts';

/** Trials in PostgreSQL. */
export const trialsStore = (database: Database): Trials => ({
  running: () =>
    database.system({ 'app.schedule': 'subscriptions' }, async (trx) => {
      const rows = await trx('subscriptions')
        .whereIn('status', ['ACTIVE', 'CANCELING'])
        .whereRaw('trial_ends_at = period_end')
        .orderBy('trial_ends_at')
        .select<{ organisation_id: string }[]>();
      return rows.map((row) => ({ organisationId: row.organisation_id, subscription: subscriptionColumns.read(row) }));
    }),

  begin: (by, decide) => beginChange(database, by, decide),
});
