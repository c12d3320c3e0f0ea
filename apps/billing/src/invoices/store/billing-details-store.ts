import { changesIn, columns, jsonColumn, type Database, type Knex } from '@platform-backend/postgres';
import { memberStates } from '../../prices/domain/sale-tax.ts';
import { recordEvents } from '../../record-events.ts';
import { noBuyerDetails, type StoredBillingDetails } from '../domain/billing-details.ts';
import type { BillingDetailsBook } from '../domain/invoices.ts';
import { notChecked } from '../domain/vat-id.ts';

const detailsColumns = columns<StoredBillingDetails>({
  companyName: 'company_name',
  addressLines: jsonColumn('address_lines'),
  vatId: 'vat_id',
  country: 'country',
  email: 'email',
  updatedAt: 'updated_at',
  vatIdStatus: 'vat_id_status',
  vatIdCountry: 'vat_id_country',
  vatConsultation: 'vat_consultation',
  vatCheckedAt: 'vat_checked_at',
  vatCheckDueAt: 'vat_check_due_at',
});

/** Billing details in PostgreSQL. */
export function billingDetailsStore(database: Database): BillingDetailsBook {
  const changes = changesIn(database, recordEvents);
  return {
    withDueVatId: (at, limit) =>
      database.system({ 'app.schedule': 'vat_ids' }, async (trx) => {
        const rows = await trx<{ organisation_id: string }>('billing_details')
          .whereIn('vat_id_status', ['VALID', 'PENDING', 'VERIFIED', 'INVALID'])
          .whereIn('vat_id_country', [...memberStates])
          .whereRaw('(vat_check_due_at IS NULL OR vat_check_due_at <= ?)', [at])
          .orderByRaw('vat_check_due_at NULLS FIRST')
          .limit(limit)
          .select('organisation_id');
        return rows.map(({ organisation_id: organisationId }) => organisationId);
      }),

    get: (organisationId) => database.tenant(organisationId, (trx) => billingDetailsIn(trx, organisationId)),

    update: (by, decide) =>
      changes.update(by, decide, {
        // What is looked up about a VAT ID must not undo what somebody writes meanwhile.
        load: (trx) => billingDetailsIn(trx, by.organisationId, 'locked'),
        save: (trx, details) =>
          trx('billing_details')
            .insert({ ...detailsColumns.write(details), organisation_id: by.organisationId })
            .onConflict('organisation_id')
            .merge(),
      }),
  };
}

/** For issuing an invoice, too, in that transaction. */
export async function billingDetailsIn(
  trx: Knex.Transaction,
  organisationId: string,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<StoredBillingDetails> {
  const query = trx('billing_details').where({ organisation_id: organisationId });
  const row = await (lock === 'locked' ? query.forUpdate() : query).first<object | undefined>();
  return row
    ? detailsColumns.read(row)
    : { ...noBuyerDetails, ...notChecked, country: null, email: null, updatedAt: null };
}
