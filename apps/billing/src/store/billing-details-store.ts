import type { Database, Knex } from '@platform/postgres';
import { billingDetailsChanged, noBuyerDetails } from '../domain/invoices/billing-details.ts';
import type { BillingDetailsBook, StoredBillingDetails } from '../domain/invoices/invoices.ts';
import { recordEvents } from './record-events.ts';

interface BillingDetailsRow {
  organisation_id: string;
  company_name: string;
  address_lines: string[];
  vat_id: string;
  country: string | null;
  updated_at: Date;
}

/** Billing details in PostgreSQL. */
export const billingDetailsStore = (database: Database): BillingDetailsBook => ({
  get: (organisationId) => database.tenant(organisationId, (trx) => billingDetailsIn(trx, organisationId)),

  set: (by, details, at) =>
    database.tenant(by.organisationId, async (trx) => {
      const before = await billingDetailsIn(trx, by.organisationId);
      const events = billingDetailsChanged(by.organisationId, before, details, at);
      if (events.length === 0) return before;
      await trx('billing_details')
        .insert({
          organisation_id: by.organisationId,
          company_name: details.companyName,
          address_lines: JSON.stringify(details.addressLines),
          vat_id: details.vatId,
          country: details.country,
          updated_at: at,
        })
        .onConflict('organisation_id')
        .merge();
      await recordEvents(trx, by, events);
      return { ...details, updatedAt: at };
    }),
});

/** For issuing an invoice, too, in that transaction. */
export async function billingDetailsIn(trx: Knex.Transaction, organisationId: string): Promise<StoredBillingDetails> {
  const row = await trx<BillingDetailsRow>('billing_details').where({ organisation_id: organisationId }).first();
  if (!row) return { ...noBuyerDetails, country: null, updatedAt: null };
  return {
    companyName: row.company_name,
    addressLines: row.address_lines,
    vatId: row.vat_id,
    country: row.country,
    updatedAt: row.updated_at,
  };
}
