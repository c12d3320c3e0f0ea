import type { PaymentProcessor } from '../../domain/payments/payment-processor.ts';
import type { CreditPurchases } from '../../domain/purchases/credit-purchases.ts';
import type { InvoiceParts } from '../invoices/invoice-parts.ts';
import type { CreditParts } from '../credits/credit-parts.ts';

/** What the use cases of purchases work with. */
export interface PurchaseParts extends CreditParts, InvoiceParts {
  readonly purchases: CreditPurchases;
  readonly payments: PaymentProcessor;
  /** Longer than a request takes: what is older was left behind by somebody who died. */
  readonly leaseMs: number;
}
