import type { Page, PageRequest } from '@platform/core';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { InvoiceFilter } from '../../domain/invoices/invoices.ts';
import type { InvoiceParts } from './invoice-parts.ts';
import { withBuyerNames } from './with-buyer-names.ts';

/** A page of invoices, newest first. */
export const listInvoices = (parts: InvoiceParts) => {
  const named = withBuyerNames(parts);
  return async (
    organisationId: string,
    requestId: string,
    filter: InvoiceFilter,
    wanted: PageRequest,
  ): Promise<Page<Invoice>> => {
    const page = await parts.invoices.list(organisationId, filter, wanted);
    return { ...page, items: await named(organisationId, requestId, page.items) };
  };
};
