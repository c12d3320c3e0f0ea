import type { ActorContext, Page, PageRequest } from '@platform-backend/core';
import {
  vatIdAfterCheck,
  changeBillingDetails,
  tidied,
  type BillingDetails,
  type StoredBillingDetails,
} from '../domain/billing-details.ts';
import type { Invoice } from '../domain/invoice.ts';
import type { BillingDetailsBook, InvoiceFilter, Invoices } from '../domain/invoices.ts';
import { checkVatId, retryAfter, type VatIdPorts } from './check-vat-id.ts';
import { getInvoicePdf, type InvoicePdfPorts } from './get-invoice-pdf.ts';
import { learnOrganisationName, type NamePorts } from './organisation-names.ts';

export interface InvoicePorts extends NamePorts {
  readonly invoices: Invoices;
}

/** What can be done with invoices: they are looked at, and it is said what stands on the next ones. */
export const invoiceUseCases = (
  ports: InvoicePorts &
    VatIdPorts &
    Omit<InvoicePdfPorts, 'getInvoice'> & { readonly billingDetails: BillingDetailsBook },
) => {
  const { invoices, billingDetails, clock } = ports;

  /** One invoice. NOT_FOUND: none, or another organisation's. */
  const getInvoice = async (organisationId: string, requestId: string, id: string): Promise<Invoice> => {
    const invoice = await invoices.get(organisationId, id);
    const [shown = invoice] = await withBuyerNames(ports, organisationId, requestId, [invoice]);
    return shown;
  };

  return {
    getInvoice,
    getInvoicePdf: getInvoicePdf({ ...ports, getInvoice }),

    /** A page of invoices, newest first. */
    async listInvoices(
      organisationId: string,
      requestId: string,
      filter: InvoiceFilter,
      wanted: PageRequest,
    ): Promise<Page<Invoice>> {
      const page = await invoices.list(organisationId, filter, wanted);
      return { ...page, items: await withBuyerNames(ports, organisationId, requestId, page.items) };
    },

    getBillingDetails: (organisationId: string): Promise<StoredBillingDetails> => billingDetails.get(organisationId),

    /**
     * Replaces what stands on later invoices. Those issued before keep what they say. INVALID: the VAT ID is wrong, or there
     * is no such country.
     */
    async setBillingDetails(by: ActorContext, wanted: BillingDetails): Promise<StoredBillingDetails> {
      const details = tidied(wanted);
      const check = await checkVatId(ports, details);
      return billingDetails.update(by, (before) => {
        const at = clock.now();
        const after = { ...details, ...vatIdAfterCheck(before, details.vatId, check, retryAfter(at)) };
        return changeBillingDetails(by.organisationId, before, after, at);
      });
    },
  };
};

export type InvoiceUseCases = ReturnType<typeof invoiceUseCases>;

/**
 * Invoices as they are shown: those that were issued while the organisation's name could not be had get it now, once
 * and for all. They stay without one while nobody knows it.
 */
async function withBuyerNames(
  ports: InvoicePorts,
  organisationId: string,
  requestId: string,
  invoices: readonly Invoice[],
): Promise<readonly Invoice[]> {
  const nameless = invoices.filter(({ buyer }) => buyer.organisationName === null).map(({ id }) => id);
  const name = nameless.length > 0 ? await learnOrganisationName(ports, organisationId, requestId) : null;
  if (name === null) return invoices;
  const names = await ports.invoices.nameBuyer(organisationId, nameless, name);
  return invoices.map((invoice) => {
    const organisationName = names.get(invoice.id) ?? invoice.buyer.organisationName;
    return { ...invoice, buyer: { ...invoice.buyer, organisationName } };
  });
}
