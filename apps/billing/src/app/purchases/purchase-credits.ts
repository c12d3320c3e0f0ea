import { DomainError, paymentRequired } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { priceOf, type PriceQuestion } from '../../domain/prices/price-book.ts';
import { newPurchase, type CreditPurchase } from '../../domain/purchases/credit-purchase.ts';
import { countryOfTax } from '../prices/country-of-tax.ts';
import { chargePurchase, isUncertain } from './charge-purchase.ts';
import type { PurchaseParts } from './purchase-parts.ts';

export interface WantedPurchase extends PriceQuestion {
  readonly credits: number;
  readonly paymentMethodId: string | null;
}

/**
 * Pays for credits and adds them. When it is not known what became of the payment, the purchase is answered as PENDING
 * and finished later. PAYMENT_REQUIRED: the payment was refused, with the processor's code as for subscriptions.
 */
export const purchaseCredits = (parts: PurchaseParts) => {
  const { purchases, priceBook, clock, newId } = parts;
  const charge = chargePurchase(parts);
  const usualCountry = countryOfTax(parts);

  return async (by: Acting, { paymentMethodId, ...question }: WantedPurchase): Promise<CreditPurchase> => {
    const country = question.country ?? (await usualCountry(by.organisationId));
    const price = priceOf(priceBook, { ...question, country }, 'body');
    const started = newPurchase({ id: newId(), price, paymentMethodId, buyer: by.actor }, clock.now());
    await purchases.add(by, started);
    const { purchase, declineReason } = await charge(by, started).catch((error: unknown) => {
      if (error instanceof DomainError && isUncertain(error)) return { purchase: started, declineReason: null };
      throw error;
    });
    if (purchase.status === 'DECLINED')
      throw paymentRequired(declineReason ?? 'card_declined', 'The payment was refused');
    return purchase;
  };
};
