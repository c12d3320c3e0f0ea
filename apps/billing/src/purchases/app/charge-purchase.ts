import { newId, type ActorContext } from '@platform-backend/core';
import { grantCredits } from '../../credits/domain/credit-account.ts';
import { creditsToMicros } from '../../credits/domain/credits.ts';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { learnOrganisationName, type NamePorts } from '../../invoices/app/organisation-names.ts';
import type { Payment, PaymentRequest } from '../../payments/domain/payment.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { afterPayment, purchaseSource, type CreditPurchase } from '../domain/credit-purchase.ts';
import type { CreditPurchases } from '../domain/credit-purchases.ts';

/** Spent after credits that were given. */
const priority = 50;

export interface ChargePorts extends NamePorts {
  readonly purchases: CreditPurchases;
  readonly collectPayment: (request: PaymentRequest) => Promise<Payment>;
  readonly priceBook: PriceBook;
}

export interface ChargedPurchase {
  readonly purchase: CreditPurchase;
  readonly payment: Payment;
}

/** Has a purchase paid, which is one payment however often it is asked for, and records what is known of it. */
export async function chargePurchase(
  ports: ChargePorts,
  by: ActorContext,
  { id, price, paymentMethodId, origin, createdAt }: CreditPurchase,
): Promise<ChargedPurchase> {
  const payment = await ports.collectPayment({
    organisationId: by.organisationId,
    purpose: 'CREDIT_PURCHASE',
    subjectId: id,
    idempotencyKey: purchaseSource(id),
    amountMinor: price.total,
    currency: price.currency,
    paymentMethodId,
    payerIsAway: origin === 'AUTOMATIC_TOP_UP',
    description: `${price.credits} credits`,
    askedAt: createdAt,
  });
  return { payment, purchase: await recordPayment(ports, by, id, payment) };
}

/** Records what is known of the payment of a purchase; with its success the credits are there. Repeating it is safe. */
export async function recordPayment(
  ports: ChargePorts,
  by: ActorContext,
  purchaseId: string,
  payment: Pick<Payment, 'state' | 'reference' | 'clientSecret'>,
): Promise<CreditPurchase> {
  const { purchases, priceBook, clock } = ports;
  // For the invoice, and before the transaction: nothing is locked while another service is asked.
  if (payment.state === 'SUCCEEDED') await learnOrganisationName(ports, by.organisationId, by.requestId);
  const at = clock.now();
  return purchases.update(
    by,
    purchaseId,
    at,
    (purchase) => afterPayment(purchase, payment, at),
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
}
