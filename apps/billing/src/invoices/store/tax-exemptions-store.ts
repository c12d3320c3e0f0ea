import { columns, type Database } from '@platform-backend/postgres';
import type { TaxExemption, TaxExemptions } from '../domain/invoices.ts';

/** Exemptions from tax in PostgreSQL; an organisation has one at most. */
export const taxExemptionsStore = (database: Database): TaxExemptions => ({
  at: (organisationId, at) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx('tax_exemptions')
        .where({ organisation_id: organisationId })
        .where('valid_from', '<=', at)
        .whereRaw('(valid_until IS NULL OR valid_until > ?)', [at])
        .first<object | undefined>();
      return row ? exemptionColumns.read(row) : null;
    }),

  set: (organisationId, exemption) =>
    database.tenant(organisationId, async (trx) => {
      await trx('tax_exemptions')
        .insert({ ...exemptionColumns.write(exemption), organisation_id: organisationId })
        .onConflict('organisation_id')
        .merge();
    }),
});

const exemptionColumns = columns<TaxExemption>({
  reason: 'reason',
  validFrom: 'valid_from',
  validUntil: 'valid_until',
});
