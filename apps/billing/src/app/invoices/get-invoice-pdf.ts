import { unavailable } from '@platform/core';
import { getInvoice } from './get-invoice.ts';
import type { InvoiceParts } from './invoice-parts.ts';

/**
 * An invoice as a document, which is the same for ever. Hence UNAVAILABLE where it is not known yet for whom it is.
 * NOT_FOUND: none, or another organisation's.
 */
export const getInvoicePdf = (parts: InvoiceParts) => {
  const get = getInvoice(parts);
  return async (organisationId: string, requestId: string, id: string): Promise<Buffer> => {
    const invoice = await get(organisationId, requestId, id);
    if (invoice.buyer.organisationName === null) throw unavailable(new Error('the name of the buyer is not known yet'));
    return parts.invoiceDocument(invoice);
  };
};
