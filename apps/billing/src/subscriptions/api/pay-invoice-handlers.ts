import type { InvoiceServiceHandlers } from '@platform-backend/contract-billing';
import type { CallContext } from '@platform-backend/grpc';
import { invoiceMessage } from '../../invoices/api/invoice-handlers.ts';
import type { GivenBackOf } from '../../invoices/domain/given-back.ts';
import type { SubscriptionUseCases } from '../app/subscriptions.ts';

/** What InvoiceService has of subscriptions: renewals alone have invoices that are not paid when they are issued. */
export const payInvoiceHandlers = (
  app: SubscriptionUseCases,
  givenBack: GivenBackOf,
): Pick<InvoiceServiceHandlers<CallContext>, 'payInvoice' | 'voidInvoice'> => ({
  async payInvoice({ invoiceId, paymentMethodId }, context) {
    const invoice = await app.payInvoice(context.actorContext(), invoiceId, paymentMethodId);
    const given = await givenBack(context.organisationId(), [invoiceId]);
    return invoiceMessage(invoice, given.get(invoiceId));
  },

  async voidInvoice({ invoiceId }, context) {
    return invoiceMessage(await app.voidInvoice(context.actorContext(), invoiceId));
  },
});
