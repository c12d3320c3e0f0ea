import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { InvoiceParts } from './invoice-parts.ts';
import { withBuyerNames } from './with-buyer-names.ts';

/** One invoice. NOT_FOUND: none, or another organisation's. */
export const getInvoice = (parts: InvoiceParts) => {
  const named = withBuyerNames(parts);
  return async (organisationId: string, requestId: string, id: string): Promise<Invoice> => {
    const invoice = await parts.invoices.get(organisationId, id);
    const [shown = invoice] = await named(organisationId, requestId, [invoice]);
    return shown;
  };
};
