import { notFound } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import type { InvoiceFilter, Invoices } from '../domain/invoices/invoices.ts';
import { invoiceOfRow, type InvoiceRow } from './invoice-rows.ts';
import { listPage } from '@platform/postgres';

/** Invoices in PostgreSQL; `issueInvoice` writes them. */
export const invoicesStore = (database: Database): Invoices => ({
  get: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<InvoiceRow>('invoices').where({ organisation_id: organisationId, id }).first();
      if (!row) throw notFound('Invoice');
      return invoiceOfRow(row);
    }),

  list: (organisationId, filter, page) =>
    database.tenant(organisationId, (trx) =>
      listPage(invoicesLike(trx, organisationId, filter), page, {
        order: 'desc',
        read: (rows) => rows.map(invoiceOfRow),
      }),
    ),
});

function invoicesLike(trx: Knex.Transaction, organisationId: string, { createdAfter, createdBefore }: InvoiceFilter) {
  const invoices = trx('invoices').where({ organisation_id: organisationId });
  if (createdAfter) void invoices.where('created_at', '>', createdAfter);
  if (createdBefore) void invoices.where('created_at', '<', createdBefore);
  return invoices as Knex.QueryBuilder<object, InvoiceRow[]>;
}
