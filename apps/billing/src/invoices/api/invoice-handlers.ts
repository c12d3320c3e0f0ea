import type { BillingDetailsInput, InvoiceInput, InvoiceServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { createdWithin } from '../../created-within.ts';
import { majorUnits } from '../../prices/domain/currency.ts';
import type { InvoiceUseCases } from '../app/invoices.ts';
import type { StoredBillingDetails } from '../domain/billing-details.ts';
import type { GivenBack, GivenBackOf } from '../domain/given-back.ts';
import type { Invoice } from '../domain/invoice.ts';

/** Paying and voiding one belongs to the area of what it is for. */
export const invoiceHandlers = (
  app: InvoiceUseCases,
  givenBack: GivenBackOf,
): Omit<InvoiceServiceHandlers<CallContext>, 'payInvoice' | 'voidInvoice'> => ({
  async listInvoices(request, context) {
    const filter = { statuses: request.status, ...createdWithin(request) };
    const page = await app.listInvoices(...lookingIn(context), filter, request);
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

export const invoiceMessage = (invoice: Invoice, given?: GivenBack): InvoiceInput => ({
  refundedMinor: String(given?.refundedMinor ?? 0n),
  disputedMinor: String(given?.disputedMinor ?? 0n),
  id: invoice.id,
  number: invoice.number,
  createdAt: invoice.createdAt,
  status: invoice.state.status,
  currency: invoice.currency,
  country: invoice.country,
  lines: invoice.lines.map(({ description, quantity, amountMinor }) => ({
    description,
    quantity: String(quantity),
    amount: majorUnits(amountMinor, invoice.currency),
    amountMinor: amountMinor.toString(),
  })),
  subtotal: majorUnits(invoice.subtotalMinor, invoice.currency),
  tax: majorUnits(invoice.taxMinor, invoice.currency),
  total: majorUnits(invoice.totalMinor, invoice.currency),
  paidAt: invoice.state.paidAt,
  nextAttemptAt: invoice.state.nextAttemptAt,
  attemptCount: invoice.state.attemptCount,
  amountDueMinor: invoice.state.status === 'OPEN' ? invoice.totalMinor.toString() : '0',
  buyer: { ...invoice.buyer, organisationName: invoice.buyer.organisationName ?? '' },
  seller: invoice.seller,
  taxLabel: invoice.tax.label,
  taxRate: invoice.tax.basisPoints === null ? null : invoice.tax.basisPoints / 100,
  taxTreatment: invoice.taxed?.treatment ?? null,
  taxNote: invoice.tax.note,
  taxEvidence: invoice.taxed?.evidence ?? null,
  subtotalMinor: invoice.subtotalMinor.toString(),
  taxMinor: invoice.taxMinor.toString(),
  totalMinor: invoice.totalMinor.toString(),
});

const billingDetailsMessage = ({
  vatIdCountry: _country,
  vatConsultation: _consultation,
  vatCheckedAt: _at,
  ...details
}: StoredBillingDetails): BillingDetailsInput => details;
