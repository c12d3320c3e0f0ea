import { outsideOfCalls, unavailable } from '@platform-backend/core';
import type { Invoice } from '../domain/invoice.ts';
import type { InvoiceDocument, InvoiceDocuments } from '../domain/invoices.ts';

export interface InvoicePdfPorts {
  readonly invoiceDocument: InvoiceDocument;
  readonly invoiceDocuments: InvoiceDocuments;
  readonly getInvoice: (organisationId: string, requestId: string, id: string) => Promise<Invoice>;
}

/**
 * An invoice as a document, which is the same for ever unless it is open: it is made when it is first asked for, once however many ask at
 * that moment, and kept. Hence UNAVAILABLE where it is not known yet for whom it is; also where too many are wanted at
 * once. NOT_FOUND: none, or another organisation's.
 */
export const getInvoicePdf = ({ invoiceDocument, invoiceDocuments, getInvoice }: InvoicePdfPorts) => {
  /** By the id of the invoice. */
  const underWay = new Map<string, Promise<Buffer>>();

  async function make(invoice: Invoice): Promise<Buffer> {
    const content = await invoiceDocument(invoice);
    // An open one is another document as soon as it is paid.
    if (invoice.state.status !== 'OPEN') await invoiceDocuments.keep(invoice.organisationId, invoice.id, content);
    return content;
  }

  function makeOnce(invoice: Invoice): Promise<Buffer> {
    const begun = underWay.get(invoice.id);
    if (begun) return begun;
    // Whoever asked first may go away; the others still want it.
    const made = outsideOfCalls(() => make(invoice)).finally(() => underWay.delete(invoice.id));
    underWay.set(invoice.id, made);
    return made;
  }

  return async (organisationId: string, requestId: string, id: string): Promise<Buffer> => {
    const kept = await invoiceDocuments.get(organisationId, id);
    if (kept) return kept;
    const invoice = await getInvoice(organisationId, requestId, id);
    if (invoice.buyer.organisationName === null) throw unavailable(new Error('the name of the buyer is not known yet'));
    return makeOnce(invoice);
  };
};
