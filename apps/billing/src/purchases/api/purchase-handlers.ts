import type { CreditServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { createdWithin } from '../../created-within.ts';
import type { PurchaseUseCases } from '../app/purchases.ts';
import type { CreditPurchase } from '../domain/credit-purchase.ts';
import { purchaseNotPaidYet } from '../domain/errors.ts';
import { priceMessage, purchaseMessage, purchasePreviewMessage } from './purchase-messages.ts';

/** What CreditService has of purchases. */
type PurchaseHandlers = Pick<
  CreditServiceHandlers<CallContext>,
  | 'previewPrice'
  | 'previewCreditPurchase'
  | 'purchaseCredits'
  | 'listCreditPurchases'
  | 'getCreditPurchase'
  | 'cancelCreditPurchase'
>;

const notPaidYet = ({ id, status: state }: CreditPurchase) =>
  purchaseNotPaidYet({ pending: { id, state, location: `/credits/purchases/${id}/` } });

export const purchaseHandlers = (app: PurchaseUseCases): PurchaseHandlers => ({
  async previewPrice({ credits, currency, country }, context) {
    return priceMessage(await app.previewPrice(context.organisationId(), { credits, currency, country }));
  },

  async previewCreditPurchase({ credits, currency, paymentMethodId }, context) {
    const wanted = { credits, currency, country: null, paymentMethodId };
    return purchasePreviewMessage(await app.previewPurchase(context.organisationId(), wanted));
  },

  async purchaseCredits({ credits, currency, country, paymentMethodId, previewToken }, context) {
    const wanted = { credits, currency, country, paymentMethodId, previewToken };
    const purchase = await app.purchaseCredits(context.actorContext(), wanted);
    if (purchase.status === 'PENDING') throw notPaidYet(purchase);
    return purchaseMessage(purchase);
  },

  async listCreditPurchases(request, context) {
    const filter = { statuses: request.status, ...createdWithin(request) };
    const page = await app.listCreditPurchases(context.organisationId(), filter, request);
    return listAnswer('purchases', page, purchaseMessage);
  },

  async cancelCreditPurchase({ purchaseId }, context) {
    return purchaseMessage(await app.cancelCreditPurchase(context.actorContext(), purchaseId));
  },

  async getCreditPurchase({ purchaseId }, context) {
    return purchaseMessage(await app.getCreditPurchase(context.organisationId(), purchaseId));
  },
});
