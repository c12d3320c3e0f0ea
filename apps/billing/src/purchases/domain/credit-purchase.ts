import type { Actor } from '@platform-backend/core';
import type { InvoiceDraft } from '../../invoices/domain/invoice.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import type { Price } from '../../prices/domain/price-book.ts';

export type CreditPurchaseStatus = 'PENDING' | 'REQUIRES_ACTION' | 'SUCCEEDED' | 'DECLINED';

/** Who wanted it: a member, who may be there to confirm the payment, or automatic top-up. */
export type CreditPurchaseOrigin = 'MEMBER' | 'AUTOMATIC_TOP_UP';

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
  readonly origin: CreditPurchaseOrigin;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export const newPurchase = (
  wanted: Pick<CreditPurchase, 'id' | 'price' | 'paymentMethodId' | 'buyer' | 'origin'>,
  at: Date,
): CreditPurchase => ({
  ...wanted,
  status: 'PENDING',
  processorReference: null,
  clientSecret: null,
  createdAt: at,
  finishedAt: null,
});

/**
 * What a purchase becomes by what is known of its payment, however often that is told. What is finished stays as it is; only
 * what was not paid can turn out to be paid after all.
 */
export function afterPayment(
  purchase: CreditPurchase,
  { state, reference, clientSecret }: Pick<Payment, 'state' | 'reference' | 'clientSecret'>,
  at: Date,
): CreditPurchase {
  if (purchase.status === 'SUCCEEDED' || (purchase.status === 'DECLINED' && state !== 'SUCCEEDED')) return purchase;
  const known = { ...purchase, processorReference: reference, clientSecret: null };
  switch (state) {
    case 'SUCCEEDED':
      return { ...known, status: 'SUCCEEDED', finishedAt: at };
    case 'DECLINED':
    case 'CANCELLED':
      return { ...known, status: 'DECLINED', finishedAt: at };
    case 'REQUIRES_ACTION':
      return { ...known, status: 'REQUIRES_ACTION', clientSecret };
    case 'PENDING':
    case 'PROCESSING':
    case 'UNRESOLVED':
      return { ...known, status: 'PENDING' };
  }
}

/** What a purchase becomes that is given up before its payment begins. */
export const uncharged = (purchase: CreditPurchase, at: Date): CreditPurchase =>
  afterPayment(purchase, { state: 'CANCELLED', reference: null, clientSecret: null }, at);

/** Whether its credits were given for this payment. */
export const isPaidBy = (
  { status, processorReference }: CreditPurchase,
  { reference }: Pick<Payment, 'reference'>,
): boolean => status === 'SUCCEEDED' && processorReference === reference;

/** What is paid for with it. */
export const purchaseInvoice = ({ id, price }: CreditPurchase): InvoiceDraft => ({
  source: purchaseSource(id),
  currency: price.currency,
  country: price.country,
  lines: [{ description: 'Credits', quantity: price.credits, amountMinor: price.subtotal }],
  subtotalMinor: price.subtotal,
  taxMinor: price.tax,
  totalMinor: price.total,
  taxed: price.taxed,
});

/** The source of the grant that a purchase becomes, and the key under which its payment happens once. */
export const purchaseSource = (purchaseId: string): string => `purchase:${purchaseId}`;
