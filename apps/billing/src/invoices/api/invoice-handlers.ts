import type { BillingDetailsInput, InvoiceInput, InvoiceServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { createdWithin } from '../../created-within.ts';
import { majorUnits } from '../../prices/domain/price-book.ts';
import type { InvoiceUseCases } from '../app/invoices.ts';
import type { StoredBillingDetails } from '../domain/billing-details.ts';
import type { Invoice } from '../domain/invoice.ts';

interface GivenBack {
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
}

/** What was given back of invoices, by their id. */
export type GivenBackOf = (organisationId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, GivenBack>>;

export const invoiceHandlers = (app: InvoiceUseCases, givenBack: GivenBackOf): InvoiceServiceHandlers<CallContext> => ({
  async listInvoices(request, context) {
    // Invoices are issued when they are paid, so there are none of any other status.
    if (request.status.length > 0 && !request.status.includes('PAID')) return { invoices: [], nextCursor: '' };
    const page = await app.listInvoices(...lookingIn(context), createdWithin(request), request);
    const ids = page.items.map(({ id }) => id);
    const given = await givenBack(context.organisationId(), ids);
    return listAnswer('invoices', page, (invoice) => invoiceMessage(invoice, given.get(invoice.id)));
  },

  async getInvoice({ invoiceId }, context) {
    const given = await givenBack(context.organisationId(), [invoiceId]);
    return invoiceMessage(await app.getInvoice(...lookingIn(context), invoiceId), given.get(invoiceId));
  },

  async getInvoicePdf({ invoiceId }, context) {
    return { content: await app.getInvoicePdf(...lookingIn(context), invoiceId) };
  },

  async getBillingDetails(_request, context) {
    return billingDetailsMessage(await app.getBillingDetails(context.organisationId()));
  },

  async setBillingDetails(request, context) {
    return billingDetailsMessage(await app.setBillingDetails(context.actorContext(), request));
  },
});

const lookingIn = (context: CallContext): [organisationId: string, requestId: string] => [
  context.organisationId(),
  context.requestId,
];

const invoiceMessage = (invoice: Invoice, given?: GivenBack): InvoiceInput => ({
  refundedMinor: String(given?.refundedMinor ?? 0n),
  disputedMinor: String(given?.disputedMinor ?? 0n),
  id: invoice.id,
  number: invoice.number,
  createdAt: invoice.createdAt,
  status: 'PAID',
  currency: invoice.currency,
  country: invoice.country,
  lines: invoice.lines.map(({ description, quantity, amountMinor }) => ({
    description,
    quantity: String(quantity),
    amount: majorUnits(amountMinor),
  })),
  subtotal: majorUnits(invoice.subtotalMinor),
  tax: majorUnits(invoice.taxMinor),
  total: majorUnits(invoice.totalMinor),
  paidAt: invoice.paidAt,
  buyer: { ...invoice.buyer, organisationName: invoice.buyer.organisationName ?? '' },
  seller: invoice.seller,
  taxLabel: invoice.tax.label,
  taxRate: invoice.tax.basisPoints === null ? null : invoice.tax.basisPoints / 100,
});

const billingDetailsMessage = (details: StoredBillingDetails): BillingDetailsInput => details;
