import { DomainError, type ActorContext, type Logger, type Page, type PageRequest } from '@platform-backend/core';
import { requireRoomForGrant } from '../../credits/domain/credit-account.ts';
import type { CreditAccounts } from '../../credits/domain/credit-accounts.ts';
import { countryOfTax, type TaxPorts } from '../../invoices/app/country-of-tax.ts';
import { paymentRefused } from '../../payments/domain/errors.ts';
import type { SettledPayment } from '../../payments/domain/provider-event.ts';
import { priceOf, type Price, type PriceQuestion } from '../../prices/domain/price-book.ts';
import { newPurchase, type CreditPurchase } from '../domain/credit-purchase.ts';
import type { CreditPurchaseFilter } from '../domain/credit-purchases.ts';
import { chargePurchase, isUncertain, recordOutcome, repeatableMs, type ChargePorts } from './charge-purchase.ts';

export interface PurchasePorts extends ChargePorts, TaxPorts {
  readonly credits: CreditAccounts;
  /** Longer than a request takes: what is older was left behind by somebody who died. */
  readonly leaseMs: number;
}

export interface PurchaseInput extends PriceQuestion {
  readonly credits: number;
  readonly paymentMethodId: string | null;
}

/** What can be done with purchases of credits. */
export const purchaseUseCases = (ports: PurchasePorts) => ({
  /** What a purchase of credits would cost the organisation. */
  async previewPrice(organisationId: string, question: PriceQuestion): Promise<Price> {
    const country = question.country ?? (await countryOfTax(ports, organisationId));
    return priceOf(ports.priceBook, { ...question, country }, 'query');
  },

  purchaseCredits: (by: ActorContext, wanted: PurchaseInput) => purchaseCredits(ports, by, wanted),

  /** What became of a purchase. NOT_FOUND: none, or another organisation's. */
  getCreditPurchase: (organisationId: string, id: string): Promise<CreditPurchase> =>
    ports.purchases.get(organisationId, id),

  /** Purchases of an organisation, newest first, with what became of each. */
  listCreditPurchases: (
    organisationId: string,
    filter: CreditPurchaseFilter,
    page: PageRequest,
  ): Promise<Page<CreditPurchase>> => ports.purchases.list(organisationId, filter, page),

  recordPaymentOutcome: (payment: SettledPayment) => recordPaymentOutcome(ports, payment),

  finishPendingPurchases: finishPendingPurchases(ports),
});

export type PurchaseUseCases = ReturnType<typeof purchaseUseCases>;

/**
 * Pays for credits and adds them. When it is not known what became of the payment, the purchase is answered as PENDING
 * and finished later. PAYMENT_REQUIRED: the payment was refused, with the processor's code as for subscriptions.
 */
async function purchaseCredits(
  ports: PurchasePorts,
  by: ActorContext,
  { paymentMethodId, ...question }: PurchaseInput,
): Promise<CreditPurchase> {
  const { credits, purchases, priceBook, clock, newId } = ports;
  requireRoomForGrant(await credits.get(by.organisationId));
  const country = question.country ?? (await countryOfTax(ports, by.organisationId));
  const price = priceOf(priceBook, { ...question, country }, 'body');
  const started = newPurchase({ id: newId(), price, paymentMethodId, buyer: by.actor }, clock.now());
  await purchases.add(by, started);
  const { purchase, declineReason } = await chargePurchase(ports, by, started).catch((error: unknown) => {
    if (error instanceof DomainError && isUncertain(error)) return { purchase: started, declineReason: null };
    throw error;
  });
  if (purchase.status === 'DECLINED') throw paymentRefused(declineReason);
  return purchase;
}

/**
 * What a processor reports later about a payment, if it is that of a purchase. Repeated and reordered reports have one
 * effect: what is finished stays as it is.
 */
async function recordPaymentOutcome(
  ports: PurchasePorts,
  { organisationId, processorReference, status, requestId }: SettledPayment,
): Promise<void> {
  const purchase = await ports.purchases.byProcessorReference(organisationId, processorReference);
  if (!purchase) return;
  const outcome =
    status === 'succeeded' ? { status, processorReference } : { status, processorReference, reason: 'reported' };
  await recordOutcome(ports, { organisationId, actor: purchase.buyer, requestId }, purchase.id, outcome);
}

const batch = 50;

/**
 * Finishes purchases of whose payment nothing is known. Replicas may do it at the same time: the processor makes one
 * payment of one key, and one purchase becomes one grant. Each round goes on after the last one, so that purchases
 * that can't be finished keep nobody else waiting. Answers how many were finished.
 */
function finishPendingPurchases(ports: PurchasePorts): (logger: Logger) => Promise<number> {
  let seen = new Date(0);
  return async (logger) => {
    const now = ports.clock.now().getTime();
    const after = new Date(Math.max(seen.getTime(), now - repeatableMs));
    const pending = await ports.purchases.pendingWithin(after, new Date(now - ports.leaseMs), batch);
    seen = pending.length < batch ? new Date(0) : (pending.at(-1)?.purchase.createdAt ?? new Date(0));
    let finished = 0;
    for (const { organisationId, purchase } of pending) {
      const by: ActorContext = { organisationId, actor: purchase.buyer, requestId: ports.newId() };
      try {
        const { status } = (await chargePurchase(ports, by, purchase)).purchase;
        if (status !== 'PENDING') finished += 1;
      } catch (error) {
        logger.warn(
          { event: 'purchase.failed', err: error, purchaseId: purchase.id },
          'a purchase could not be finished, it will be tried again',
        );
      }
    }
    return finished;
  };
}
