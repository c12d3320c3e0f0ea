import type { BillingParts } from './billing-parts.ts';
import { extendReservations } from './credits/extend-reservations.ts';
import { getCreditBalance } from './credits/get-credit-balance.ts';
import { listCreditGrants } from './credits/list-credit-grants.ts';
import { listCreditTransactions } from './credits/list-credit-transactions.ts';
import { releaseCredits } from './credits/release-credits.ts';
import { reserveCredits } from './credits/reserve-credits.ts';
import { settleCredits } from './credits/settle-credits.ts';
import { sweepCredits } from './credits/sweep-credits.ts';
import { invoiceUseCases } from './invoices/invoice-use-cases.ts';
import { paymentUseCases } from './payments/payment-use-cases.ts';
import { previewPrice } from './prices/preview-price.ts';
import { finishPendingPurchases } from './purchases/finish-pending-purchases.ts';
import { getCreditPurchase } from './purchases/get-credit-purchase.ts';
import { listCreditPurchases } from './purchases/list-credit-purchases.ts';
import { purchaseCredits } from './purchases/purchase-credits.ts';
import { recordPaymentOutcome } from './purchases/record-payment-outcome.ts';
import { subscriptionUseCases } from './subscriptions/subscription-use-cases.ts';
import { getUsage } from './usage/get-usage.ts';
import { leaseQuota } from './usage/lease-quota.ts';
import { recordUsage } from './usage/record-usage.ts';
import { reportUsage } from './usage/report-usage.ts';

/** Everything the service can do, one use case per file. */
export const billingApp = (parts: BillingParts) => ({
  previewPrice: previewPrice(parts),
  extendReservations: extendReservations(parts),
  getCreditBalance: getCreditBalance(parts),
  listCreditGrants: listCreditGrants(parts),
  listCreditTransactions: listCreditTransactions(parts),
  releaseCredits: releaseCredits(parts),
  reserveCredits: reserveCredits(parts),
  settleCredits: settleCredits(parts),
  sweepCredits: sweepCredits(parts),
  finishPendingPurchases: finishPendingPurchases(parts),
  getCreditPurchase: getCreditPurchase(parts),
  listCreditPurchases: listCreditPurchases(parts),
  purchaseCredits: purchaseCredits(parts),
  recordPaymentOutcome: recordPaymentOutcome(parts),
  getUsage: getUsage(parts),
  leaseQuota: leaseQuota(parts),
  recordUsage: recordUsage(parts),
  reportUsage: reportUsage(parts),
  ...invoiceUseCases(parts),
  ...paymentUseCases(parts),
  ...subscriptionUseCases(parts),
});

export type BillingApp = ReturnType<typeof billingApp>;
