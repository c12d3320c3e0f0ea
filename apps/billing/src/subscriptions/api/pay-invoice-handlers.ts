import type { InvoiceServiceHandlers } from '@platform-backend/contract-billing';
import type { CallContext } from '@platform-backend/grpc';
import { invoiceMessage } from '../../invoices/api/invoice-handlers.ts';
import type { SubscriptionUseCases } from '../app/subscriptions.ts';

/** What InvoiceService has of subscriptions: renewals alone have invoices that are not paid when they are issued. */
export const payInvoiceHandlers = (
  app: SubscriptionUseCases,
): Pick<InvoiceServiceHandlers<CallContext>, 'payInvoice'> => ({
  async payInvoice({ invoiceId, paymentMethodId }, context) {
    return invoiceMessage(await app.payInvoice(context.actorContext(), invoiceId, paymentMethodId));
  },
});
