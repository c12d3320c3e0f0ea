import { listPage, type Database, type Knex } from '@platform-backend/postgres';
import { invoiceNotFound } from '../domain/errors.ts';
import type { Invoice, InvoiceState } from '../domain/invoice.ts';
import type { InvoiceFilter, Invoices } from '../domain/invoices.ts';
import type { Seller } from '../domain/seller.ts';
import { invoiceOfRow, nameBuyers, stateColumns, type InvoiceBuyerRow, type InvoiceRow } from './invoice-rows.ts';

/** Invoices in PostgreSQL; `issueInvoice` writes them. The seller is that of invoices which say none. */
export const invoicesStore = (database: Database, seller: Seller): Invoices => ({
  get: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<InvoiceRow>('invoices').where({ organisation_id: organisationId, id }).first();
      if (!row) throw invoiceNotFound();
      const names = await buyerNames(trx, organisationId, [id]);
      const states = await statesOf(trx, organisationId, [id]);
      return invoiceOfRow(row, states.get(id) ?? null, names.get(id) ?? null, seller);
    }),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(invoicesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: async (rows): Promise<Invoice[]> => {
          const ids = rows.map(({ id }) => id);
          const names = await buyerNames(trx, organisationId, ids);
          const states = await statesOf(trx, organisationId, ids);
          return rows.map((row) => invoiceOfRow(row, states.get(row.id) ?? null, names.get(row.id) ?? null, seller));
        },
      }),
    ),

  nameBuyer: (organisationId, invoiceIds, name) =>
    database.tenant(organisationId, async (trx) => {
      await nameBuyers(trx, organisationId, invoiceIds, name);
      return buyerNames(trx, organisationId, invoiceIds);
    }),
});

/** By invoice id; an invoice without a name is missing. */
async function buyerNames(
  trx: Knex.Transaction,
  organisationId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await trx<InvoiceBuyerRow>('invoice_buyers')
    .where({ organisation_id: organisationId })
    .whereIn('invoice_id', invoiceIds);
  return new Map(rows.map(({ invoice_id: id, organisation_name: name }) => [id, name]));
}

/** By invoice id; one that was paid when it was issued is missing. */
async function statesOf(
  trx: Knex.Transaction,
  organisationId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, InvoiceState>> {
  const rows = await trx('invoice_states')
    .where({ organisation_id: organisationId })
    .whereIn('invoice_id', invoiceIds)
    .select<{ invoice_id: string }[]>();
  return new Map(rows.map((row) => [row.invoice_id, stateColumns.read(row)]));
}

function invoicesLike(
  trx: Knex.Transaction,
  organisationId: string,
  { createdAfter, createdBefore, statuses }: InvoiceFilter,
) {
  const invoices = trx('invoices').where({ organisation_id: organisationId });
  if (statuses.length > 0) {
    const status = `coalesce((SELECT status FROM invoice_states s
      WHERE s.organisation_id = invoices.organisation_id AND s.invoice_id = invoices.id), 'PAID')`;
    void invoices.whereRaw(`${status} = ANY(?)`, [[...statuses]]);
  }
  if (createdAfter) void invoices.where('created_at', '>', createdAfter);
  if (createdBefore) void invoices.where('created_at', '<', createdBefore);
  return invoices as Knex.QueryBuilder<object, InvoiceRow[]>;
}
