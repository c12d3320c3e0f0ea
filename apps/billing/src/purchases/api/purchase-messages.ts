import type { CreditPurchaseInput, PricePreviewInput } from '@platform-backend/contract-billing';
import { majorUnits, type Price } from '../../prices/domain/price-book.ts';
import type { CreditPurchase } from '../domain/credit-purchase.ts';

export const priceMessage = ({ subtotal, tax, total }: Price): PricePreviewInput => ({
  subtotal: majorUnits(subtotal),
  tax: majorUnits(tax),
  total: majorUnits(total),
});

export const purchaseMessage = ({ price, ...purchase }: CreditPurchase): CreditPurchaseInput => ({
  id: purchase.id,
  createdAt: purchase.createdAt,
  status: purchase.status,
  credits: price.credits,
  subtotal: majorUnits(price.subtotal),
  tax: majorUnits(price.tax),
  total: majorUnits(price.total),
  currency: price.currency,
  country: price.country,
  clientSecret: purchase.clientSecret,
});
