import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { InvoiceDocument, InvoiceFilter, Invoices } from '../../domain/invoices/invoices.ts';
import type { Page, PageRequest } from '@platform/core';

export interface InvoiceParts {
  readonly invoices: Invoices;
  readonly invoiceDocument: InvoiceDocument;
}

/** What can be done with invoices: they are looked at, in three ways. */
export const invoiceUseCases = ({ invoices, invoiceDocument }: InvoiceParts) => ({
  getInvoice: (organisationId: string, id: string): Promise<Invoice> => invoices.get(organisationId, id),
  listInvoices: (organisationId: string, filter: InvoiceFilter, page: PageRequest): Promise<Page<Invoice>> =>
    invoices.list(organisationId, filter, page),
  getInvoicePdf: async (organisationId: string, id: string): Promise<Buffer> =>
    invoiceDocument(await invoices.get(organisationId, id)),
});
