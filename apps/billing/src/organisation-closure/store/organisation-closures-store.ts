import type { Database, Knex } from '@platform-backend/postgres';
import { removePolicies } from '../../usage/store/client-policies-store.ts';
import { removeOpenLeases } from '../../usage/store/quota-leases.ts';
import type { OrganisationClosures } from '../domain/organisation-closures.ts';

interface ClosureRow {
  organisation_id: string;
  deleted_at: Date;
  lease_until: Date;
  closed_at: Date | null;
}

/** Shows the schedule which organisations to look at, and nothing that could be changed. */
const schedule = { 'app.schedule': 'closures' };

/** Closures in PostgreSQL. */
export const organisationClosuresStore = (database: Database): OrganisationClosures => ({
  due: (at, limit) =>
    database.system(schedule, (trx) =>
      open(trx)
        .where('lease_until', '<=', at)
        .orderBy('lease_until')
        .limit(limit)
        .select({ organisationId: 'organisation_id', deletedAt: 'deleted_at' }),
    ),

  take: (organisationId, at, leaseUntil) =>
    database.tenant(organisationId, async (trx) => {
      const taken = await open(trx)
        .where({ organisation_id: organisationId })
        .where('lease_until', '<=', at)
        .update({ lease_until: leaseUntil });
      return taken === 1;
    }),

  close: (organisationId, at) =>
    database.tenant(organisationId, async (trx) => {
      await open(trx).where({ organisation_id: organisationId }).update({ closed_at: at });
    }),
});

const open = (trx: Knex.Transaction) => trx<ClosureRow>('organisation_closures').whereNull('closed_at');

/** Writes down that an organisation was deleted, and forgets at once what only the living need. Repeating it is safe. */
export async function beginClosure(trx: Knex.Transaction, organisationId: string, deletedAt: Date): Promise<void> {
  await trx<ClosureRow>('organisation_closures')
    .insert({ organisation_id: organisationId, deleted_at: deletedAt, lease_until: deletedAt, closed_at: null })
    .onConflict()
    .ignore();
  await removeOpenLeases(trx, organisationId);
  await removePolicies(trx, organisationId);
}
