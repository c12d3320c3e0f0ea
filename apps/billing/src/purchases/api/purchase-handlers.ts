import type { CreditServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { createdWithin } from '../../created-within.ts';
import type { PurchaseUseCases } from '../app/purchases.ts';
import { priceMessage, purchaseMessage } from './purchase-messages.ts';

/** What CreditService has of purchases. */
type PurchaseHandlers = Pick<
  CreditServiceHandlers<CallContext>,
  'previewPrice' | 'purchaseCredits' | 'listCreditPurchases' | 'getCreditPurchase'
>;

export const purchaseHandlers = (app: PurchaseUseCases): PurchaseHandlers => ({
  async previewPrice({ credits, currency, country }, context) {
    return priceMessage(await app.previewPrice(context.organisationId(), { credits, currency, country }));
  },

  async purchaseCredits({ credits, currency, country, paymentMethodId }, context) {
    const wanted = { credits, currency, country, paymentMethodId };
    return purchaseMessage(await app.purchaseCredits(context.actorContext(), wanted));
  },

  async listCreditPurchases(request, context) {
    const filter = { statuses: request.status, ...createdWithin(request) };
    const page = await app.listCreditPurchases(context.organisationId(), filter, request);
    return listAnswer('purchases', page, purchaseMessage);
  },

  async getCreditPurchase({ purchaseId }, context) {
    return purchaseMessage(await app.getCreditPurchase(context.organisationId(), purchaseId));
  },
});
