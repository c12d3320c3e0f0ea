import { DomainError } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import { grantCredits } from '../../domain/credits/credit-account.ts';
import { creditsToMicros } from '../../domain/credits/credits.ts';
import { daysAfter } from '../../domain/days.ts';
import type { ChargeOutcome } from '../../domain/payments/payment-processor.ts';
import { afterCharge, purchaseSource, type CreditPurchase } from '../../domain/purchases/credit-purchase.ts';
import { learnOrganisationName } from '../invoices/learn-organisation-name.ts';
import type { PurchaseParts } from './purchase-parts.ts';

/** Spent after credits that were given. */
const priority = 50;

export interface ChargedPurchase {
  readonly purchase: CreditPurchase;
  /** The processor's code for why it declined just now; null when it did not. */
  readonly declineReason: string | null;
}

/** Tries the payment of a purchase, which is one payment however often it is tried, and records what became of it. */
export const chargePurchase = (parts: PurchaseParts) => {
  const record = recordOutcome(parts);
  return async (by: Acting, { id, price, paymentMethodId }: CreditPurchase): Promise<ChargedPurchase> => {
    const charging = parts.payments.charge({
      organisationId: by.organisationId,
      amount: price.total,
      currency: price.currency,
      idempotencyKey: purchaseSource(id),
      ...(paymentMethodId !== null && { paymentMethodId }),
      description: `${price.credits} credits`,
    });
    const outcome = await charging.catch(async (error: unknown) => {
      // Nothing was paid and nothing will be, such as with a payment method that does not exist.
      if (!isUncertain(error)) await record(by, id, { status: 'declined', processorReference: '', reason: 'refused' });
      throw error;
    });
    const purchase = await record(by, id, outcome);
    return { purchase, declineReason: outcome.status === 'declined' ? outcome.reason : null };
  };
};

/** Whether a payment may have happened although trying it failed. Defects count as that, too. */
export const isUncertain = (error: unknown): boolean =>
  !(error instanceof DomainError) ||
  ['upstream_failed', 'unavailable', 'deadline_exceeded', 'internal'].includes(error.kind);

/** Records what became of a payment; with its success the credits are there. Repeating it is safe. */
export const recordOutcome = (parts: PurchaseParts) => {
  const { purchases, priceBook, clock, newId } = parts;
  const learnName = learnOrganisationName(parts);
  return async (by: Acting, purchaseId: string, outcome: ChargeOutcome): Promise<CreditPurchase> => {
    // For the invoice, and before the transaction: nothing is locked while another service is asked.
    if (outcome.status === 'succeeded') await learnName(by.organisationId, by.requestId);
    const at = clock.now();
    return purchases.update(
      by,
      purchaseId,
      at,
      (purchase) => afterCharge(purchase, outcome, at),
      ({ id, price }, holdings) => {
        const grant = {
          id: newId(),
          transactionId: newId(),
          source: purchaseSource(id),
          kind: 'PURCHASE' as const,
          amount: creditsToMicros(price.credits),
          priority,
          expiresAt: daysAfter(at, priceBook.purchasedCreditsExpireAfterDays),
        };
        return grantCredits(holdings, grant, at);
      },
    );
  };
};
