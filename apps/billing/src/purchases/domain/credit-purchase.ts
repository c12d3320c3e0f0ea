import type { Actor } from '@platform-backend/core';
import type { InvoiceDraft } from '../../invoices/domain/invoice.ts';
import type { ChargeOutcome } from '../../payments/domain/payment-processor.ts';
import type { Price } from '../../prices/domain/price-book.ts';

export type CreditPurchaseStatus = 'PENDING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'DECLINED';

/** Credits that somebody buys, from before the payment is tried. */
export interface CreditPurchase {
  readonly id: string;
  readonly status: CreditPurchaseStatus;
  readonly price: Price;
  /** Null: the default one at the time of the payment. */
  readonly paymentMethodId: string | null;
  readonly processorReference: string | null;
  /** With which the buyer confirms the payment; null unless the status is REQUIRES_ACTION. */
  readonly clientSecret: string | null;
  readonly buyer: Actor;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export const newPurchase = (
  wanted: Pick<CreditPurchase, 'id' | 'price' | 'paymentMethodId' | 'buyer'>,
  at: Date,
): CreditPurchase => ({
  ...wanted,
  status: 'PENDING',
  processorReference: null,
  clientSecret: null,
  createdAt: at,
  finishedAt: null,
});

/** What a purchase becomes by what the processor says. What is finished stays as it is, whoever says what how often. */
export function afterCharge(purchase: CreditPurchase, outcome: ChargeOutcome, at: Date): CreditPurchase {
  if (purchase.finishedAt !== null) return purchase;
  // A payment that was not even tried has no name.
  const processorReference = outcome.processorReference === '' ? null : outcome.processorReference;
  switch (outcome.status) {
    case 'succeeded':
      return { ...purchase, processorReference, status: 'SUCCEEDED', clientSecret: null, finishedAt: at };
    case 'declined':
      return { ...purchase, processorReference, status: 'DECLINED', clientSecret: null, finishedAt: at };
    case 'requires_action':
      return { ...purchase, processorReference, status: 'REQUIRES_ACTION', clientSecret: outcome.clientSecret };
  }
}

/** What is paid for with it. */
export const purchaseInvoice = ({ id, price }: CreditPurchase): InvoiceDraft => ({
  source: purchaseSource(id),
  currency: price.currency,
  country: price.country,
  lines: [{ description: 'Credits', quantity: price.credits, amountMinor: price.subtotal }],
  subtotalMinor: price.subtotal,
  taxMinor: price.tax,
  totalMinor: price.total,
});

/** The source of the grant that a purchase becomes, and the key under which its payment happens once. */
export const purchaseSource = (purchaseId: string): string => `purchase:${purchaseId}`;
