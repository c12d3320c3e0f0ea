import { DomainError, type ActorContext } from '@platform-backend/core';
import { grantCredits } from '../../credits/domain/credit-account.ts';
import { creditsToMicros } from '../../credits/domain/credits.ts';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { learnOrganisationName, type NamePorts } from '../../invoices/app/organisation-names.ts';
import type { ChargeOutcome, PaymentProcessor } from '../../payments/domain/payment-processor.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { afterCharge, purchaseSource, type CreditPurchase } from '../domain/credit-purchase.ts';
import type { CreditPurchases } from '../domain/credit-purchases.ts';

/** Spent after credits that were given. */
const priority = 50;

export interface ChargePorts extends NamePorts {
  readonly purchases: CreditPurchases;
  readonly payments: PaymentProcessor;
  readonly priceBook: PriceBook;
  readonly newId: () => string;
}

export interface ChargedPurchase {
  readonly purchase: CreditPurchase;
  /** The processor's code for why it declined just now; null when it did not. */
  readonly declineReason: string | null;
}

/** Tries the payment of a purchase, which is one payment however often it is tried, and records what became of it. */
export async function chargePurchase(
  ports: ChargePorts,
  by: ActorContext,
  { id, price, paymentMethodId }: CreditPurchase,
): Promise<ChargedPurchase> {
  const charging = ports.payments.charge({
    organisationId: by.organisationId,
    amount: price.total,
    currency: price.currency,
    idempotencyKey: purchaseSource(id),
    ...(paymentMethodId !== null && { paymentMethodId }),
    description: `${price.credits} credits`,
  });
  const outcome = await charging.catch(async (error: unknown) => {
    // Nothing was paid and nothing will be, such as with a payment method that does not exist.
    if (!isUncertain(error)) {
      await recordOutcome(ports, by, id, { status: 'declined', processorReference: '', reason: 'refused' });
    }
    throw error;
  });
  const purchase = await recordOutcome(ports, by, id, outcome);
  return { purchase, declineReason: outcome.status === 'declined' ? outcome.reason : null };
}

/** Whether a payment may have happened although trying it failed. Defects count as that, too. */
export const isUncertain = (error: unknown): boolean =>
  !(error instanceof DomainError) ||
  ['upstream_failed', 'unavailable', 'deadline_exceeded', 'internal'].includes(error.kind);

/**
 * Processors forget the keys that make a charge safe to repeat after a day. What is still not known by then waits for
 * the processor's report or a person.
 */
export const repeatableMs = 23 * 3_600_000;

export const isRepeatable = ({ createdAt }: CreditPurchase, at: Date): boolean =>
  at.getTime() - createdAt.getTime() < repeatableMs;

/** Records what became of a payment; with its success the credits are there. Repeating it is safe. */
export async function recordOutcome(
  ports: ChargePorts,
  by: ActorContext,
  purchaseId: string,
  outcome: ChargeOutcome,
): Promise<CreditPurchase> {
  const { purchases, priceBook, clock, newId } = ports;
  // For the invoice, and before the transaction: nothing is locked while another service is asked.
  if (outcome.status === 'succeeded') await learnOrganisationName(ports, by.organisationId, by.requestId);
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
}
