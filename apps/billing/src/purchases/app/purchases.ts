import {
  DomainError,
  invalid,
  keyedCallId,
  newId,
  type ActorContext,
  type Logger,
  type Page,
  type PageRequest,
} from '@platform-backend/core';
import { requireRoomForGrant } from '../../credits/domain/credit-account.ts';
import type { CreditAccounts } from '../../credits/domain/credit-accounts.ts';
import { daysAfter } from '../../credits/domain/days-after.ts';
import { taxOfOrganisation, type TaxPorts } from '../../invoices/app/tax-of-sale.ts';
import { answerInTime } from '../../payments/app/answer-within.ts';
import { paymentMethodNotFound, paymentRefused, requirePayable } from '../../payments/domain/errors.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { Payments } from '../../payments/domain/payments.ts';
import { unknownCountry, type InputSource } from '../../prices/domain/country.ts';
import type { PreviewToken, PreviewTokens } from '../../prices/domain/preview-token.ts';
import { priceOf, type Price, type PriceQuestion } from '../../prices/domain/price-book.ts';
import { noEvidence, taxOfSale, type SaleTax } from '../../prices/domain/sale-tax.ts';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { isPaidBy, newPurchase, type CreditPurchase } from '../domain/credit-purchase.ts';
import type { CreditPurchaseFilter } from '../domain/credit-purchases.ts';
import { chargePurchase, recordPayment, type ChargePorts } from './charge-purchase.ts';

export interface PurchasePorts extends ChargePorts, TaxPorts {
  readonly credits: CreditAccounts;
  /** RATE_LIMITED: too many were begun. */
  readonly countPurchase: (by: ActorContext) => Promise<void>;
  readonly payments: Payments;
  readonly previewTokens: PreviewTokens;
  readonly cancelPayment: (payment: Payment) => Promise<Payment>;
  /** Gives all of a payment back for which nothing was given. Repeating it is safe. */
  readonly refundSurplus: (payment: Payment) => Promise<void>;
  /** Longer than a request takes: what is older was left behind by somebody who died. */
  readonly leaseMs: number;
}

/** A number of credits in a currency; null: the usual one. */
export interface PurchasedCredits {
  readonly credits: number;
  readonly currency: string | null;
}

export interface PreviewInput extends PriceQuestion {
  readonly credits: number;
  readonly paymentMethodId: string | null;
}

export interface PurchaseInput extends PreviewInput {
  /** Of a preview: the purchase comes to exactly that. */
  readonly previewToken: string | null;
}

interface PricedPurchase {
  readonly price: Price;
  readonly taxed: SaleTax;
  readonly creditsExpireAt: Date;
}

export type PurchasePreview = PricedPurchase & PreviewToken;

/** What a purchase comes to. INVALID: nothing is sold so. CONFLICT: it is less than can be paid. */
async function priceAt(
  ports: PurchasePorts,
  organisationId: string,
  { paymentMethodId, ...question }: PreviewInput,
  at: Date,
  asked: InputSource,
): Promise<PricedPurchase> {
  const { priceBook } = ports;
  const taxed = await taxOfOrganisation(ports, organisationId, paymentMethodId, at);
  const price = priceOf(priceBook, question, taxed, asked);
  requirePayable(price.total, price.currency);
  return { price, taxed, creditsExpireAt: daysAfter(at, priceBook.purchasedCreditsExpireAfterDays) };
}

/** All that a preview has said. */
const previewed = ({ price: { taxed: _evidence, ...price }, taxed, creditsExpireAt }: PricedPurchase): object => ({
  ...price,
  treatment: taxed.treatment,
  creditsExpireAt,
});

/** What can be done with purchases of credits. */
export const purchaseUseCases = (ports: PurchasePorts) => ({
  /** What a purchase of credits would cost the organisation. INVALID: there is no such country. */
  async previewPrice(organisationId: string, question: PriceQuestion): Promise<Price> {
    const at = ports.clock.now();
    const { country } = question;
    const violations = country === null ? [] : unknownCountry(country, 'query');
    if (violations.length > 0) throw invalid(violations);
    // Whoever names a country asks what it would come to there; what is bought is taxed by the evidence alone.
    const taxed =
      country === null
        ? await taxOfOrganisation(ports, organisationId, null, at)
        : taxOfSale(ports.priceBook, { ...noEvidence, billingCountry: country }, at);
    return priceOf(ports.priceBook, question, taxed, 'query');
  },

  /** What a purchase would come to, with a token that makes exactly that one. INVALID and CONFLICT: as for the purchase. */
  async previewPurchase(organisationId: string, wanted: PreviewInput): Promise<PurchasePreview> {
    const at = ports.clock.now();
    const priced = await priceAt(ports, organisationId, wanted, at, 'query');
    return { ...priced, ...(await ports.previewTokens.sign(organisationId, previewed(priced), at)) };
  },

  /** What a purchase comes to that is paid with the default. INVALID and CONFLICT: as for the purchase. */
  async priceOfPurchase(organisationId: string, { credits, currency }: PurchasedCredits, at: Date): Promise<Price> {
    requireRoomForGrant(await ports.credits.get(organisationId));
    const wanted = { credits, currency, country: null, paymentMethodId: null };
    return (await priceAt(ports, organisationId, wanted, at, 'body')).price;
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

  cancelCreditPurchase: (by: ActorContext, id: string) => cancelCreditPurchase(ports, by, id),

  takeOver: (payment: Payment) => takeOver(ports, payment),

  /** Whether the credits that were paid for with it are there. */
  isBooked: async (payment: Payment): Promise<boolean> =>
    isPaidBy(await ports.purchases.get(payment.organisationId, payment.subjectId), payment),

  payAbandoned: (logger: Logger, scope?: ScheduleScope) => payAbandoned(ports, logger, scope),
});

export type PurchaseUseCases = ReturnType<typeof purchaseUseCases>;

/**
 * Pays for credits and adds them. When it is not known what became of the payment, the purchase is answered as PENDING
 * and finished later. PAYMENT_REQUIRED: the payment was refused, with the processor's code as for subscriptions.
 */
async function purchaseCredits(
  ports: PurchasePorts,
  by: ActorContext,
  { previewToken, ...wanted }: PurchaseInput,
): Promise<CreditPurchase> {
  const { credits, purchases, clock } = ports;
  const { paymentMethodId } = wanted;
  requireRoomForGrant(await credits.get(by.organisationId));
  const opened =
    previewToken === null ? null : await ports.previewTokens.open(by.organisationId, previewToken, clock.now());
  const priced = await priceAt(ports, by.organisationId, wanted, opened?.at ?? clock.now(), 'body');
  opened?.requireSame(previewed(priced));
  const { price } = priced;
  const started = newPurchase(
    { id: keyedCallId(newId), price, paymentMethodId, buyer: by.actor, origin: 'MEMBER' },
    clock.now(),
  );
  // The purchase is the first that a call with a key changes: what is noted of the call is then true of the purchase.
  await purchases.add(by, started);
  await ports.countPurchase(by).catch(async (error: unknown) => {
    if (error instanceof DomainError) await purchases.endUncharged(by.organisationId, started.id, clock.now());
    throw error;
  });
  const charged = await answerInTime(() => chargePurchase(ports, by, started));
  if (!charged) return started;
  const { purchase, payment } = charged;
  if (purchase.status !== 'DECLINED') return purchase;
  if (payment.reason === paymentMethodNotFound.code) throw paymentMethodNotFound();
  throw paymentRefused(payment.reason);
}

/**
 * Gives up a purchase that is not paid. Repeating it is safe; one that turns out to be paid is a purchase all the same.
 * NOT_FOUND: none, or another organisation's.
 */
async function cancelCreditPurchase(ports: PurchasePorts, by: ActorContext, id: string): Promise<CreditPurchase> {
  const { purchases, payments, cancelPayment, clock } = ports;
  const purchase = await purchases.endUncharged(by.organisationId, id, clock.now());
  if (purchase.finishedAt !== null) return purchase;
  const payment = await payments.latest(by.organisationId, id);
  if (!payment) throw new Error(`the payment for ${id} is gone`);
  return recordPayment(ports, by, id, await cancelPayment(payment));
}

/** Takes over what is known of the payment of a purchase; what was paid by a further attempt is given back. Repeating it is safe. */
async function takeOver(ports: PurchasePorts, payment: Payment): Promise<void> {
  const { organisationId, subjectId, id } = payment;
  const { buyer } = await ports.purchases.get(organisationId, subjectId);
  const purchase = await recordPayment(ports, { organisationId, actor: buyer, requestId: id }, subjectId, payment);
  if (payment.state === 'SUCCEEDED' && !isPaidBy(purchase, payment)) await ports.refundSurplus(payment);
}

const batch = 50;

/**
 * Has purchases paid whose buyer's request was cut short before the payment began. Replicas may do it at the same time:
 * one purchase becomes one payment. Answers how many were finished.
 */
async function payAbandoned(ports: PurchasePorts, logger: Logger, scope: ScheduleScope = everybody): Promise<number> {
  let finished = 0;
  const until = new Date(ports.clock.now().getTime() - ports.leaseMs);
  for (const { organisationId, purchase } of await ports.purchases.withoutPayment(until, scope, batch)) {
    const by: ActorContext = { organisationId, actor: purchase.buyer, requestId: newId() };
    try {
      const { status } = (await chargePurchase(ports, by, purchase)).purchase;
      if (status !== 'PENDING') finished += 1;
    } catch (error) {
      logger.warn(
        { event: 'purchase.failed', err: error, purchaseId: purchase.id },
        'a purchase could not be paid, it will be tried again',
      );
    }
  }
  return finished;
}
