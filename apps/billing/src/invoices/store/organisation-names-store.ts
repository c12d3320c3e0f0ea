import type { Database, Knex } from '@platform-backend/postgres';
import type { OrganisationNames } from '../domain/invoices.ts';

interface OrganisationNameRow {
  organisation_id: string;
  name: string;
  heard_at: Date;
}

/** The names of organisations in PostgreSQL. */
export const organisationNamesStore = (database: Database): OrganisationNames => ({
  remember: (organisationId, name, heardAt) =>
    database.tenant(organisationId, async (trx) => {
      await trx<OrganisationNameRow>('organisation_names')
        .insert({ organisation_id: organisationId, name, heard_at: heardAt })
        .onConflict('organisation_id')
        .merge()
        .where('organisation_names.heard_at', '<=', heardAt);
    }),

  lastKnown: (organisationId) => database.tenant(organisationId, (trx) => lastKnownName(trx, organisationId)),
});

/** For issuing an invoice, too, in that transaction. */
export async function lastKnownName(trx: Knex.Transaction, organisationId: string): Promise<string | null> {
  const row = await trx<OrganisationNameRow>('organisation_names').where({ organisation_id: organisationId }).first();
  return row?.name ?? null;
}
