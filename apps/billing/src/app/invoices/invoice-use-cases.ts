import type { StoredBillingDetails } from '../../domain/invoices/invoices.ts';
import { getInvoicePdf } from './get-invoice-pdf.ts';
import { getInvoice } from './get-invoice.ts';
import type { InvoiceParts } from './invoice-parts.ts';
import { listInvoices } from './list-invoices.ts';
import { setBillingDetails } from './set-billing-details.ts';

/** What can be done with invoices: they are looked at, and it is said what stands on the next ones. */
export const invoiceUseCases = (parts: InvoiceParts) => ({
  getInvoice: getInvoice(parts),
  listInvoices: listInvoices(parts),
  getInvoicePdf: getInvoicePdf(parts),
  setBillingDetails: setBillingDetails(parts),
  getBillingDetails: (organisationId: string): Promise<StoredBillingDetails> =>
    parts.billingDetails.get(organisationId),
});
