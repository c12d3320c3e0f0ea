import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { InvoiceParts } from './invoice-parts.ts';
import { learnOrganisationName } from './learn-organisation-name.ts';

/**
 * Invoices as they are shown: those that were issued while the organisation's name could not be had get it now, once
 * and for all. They stay without one while nobody knows it.
 */
export const withBuyerNames = (parts: InvoiceParts) => {
  const learnName = learnOrganisationName(parts);
  return async (organisationId: string, requestId: string, invoices: readonly Invoice[]): Promise<Invoice[]> => {
    const nameless = invoices.filter(({ buyer }) => buyer.organisationName === null).map(({ id }) => id);
    const name = nameless.length > 0 ? await learnName(organisationId, requestId) : null;
    if (name === null) return [...invoices];
    const names = await parts.invoices.nameBuyer(organisationId, nameless, name);
    return invoices.map((invoice) => {
      const organisationName = names.get(invoice.id) ?? invoice.buyer.organisationName;
      return { ...invoice, buyer: { ...invoice.buyer, organisationName } };
    });
  };
};
