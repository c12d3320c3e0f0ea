import type { Acting } from '../../domain/acting.ts';
import type { CreditPurchase } from '../../domain/purchases/credit-purchase.ts';
import type { SettledPayment } from '../payments/payment-parts.ts';
import { recordOutcome } from './charge-purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

/**
 * What a processor reports later about a payment, if it is that of a purchase; null when it is not. Repeated and
 * reordered reports have one effect: what is finished stays as it is.
 */
export const recordPaymentOutcome = (parts: PurchaseParts) => {
  const record = recordOutcome(parts);
  return async (payment: SettledPayment): Promise<CreditPurchase | null> => {
    const { organisationId, processorReference, status, requestId } = payment;
    const purchase = await parts.purchases.byProcessorReference(organisationId, processorReference);
    if (!purchase) return null;
    const by: Acting = { organisationId, actor: purchase.buyer, requestId };
    const outcome =
      status === 'succeeded' ? { status, processorReference } : { status, processorReference, reason: 'reported' };
    return record(by, purchase.id, outcome);
  };
};
