import type { CreditPurchaseInput, PricePreviewInput } from '@platform-backend/contract-billing';
import { majorUnits } from '../../prices/domain/currency.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import type { CreditPurchase } from '../domain/credit-purchase.ts';

export const priceMessage = ({ subtotal, tax, total, currency }: Price): PricePreviewInput => ({
  subtotal: majorUnits(subtotal, currency),
  tax: majorUnits(tax, currency),
  total: majorUnits(total, currency),
});

export const purchaseMessage = ({ price, ...purchase }: CreditPurchase): CreditPurchaseInput => ({
  id: purchase.id,
  createdAt: purchase.createdAt,
  status: purchase.status,
  credits: price.credits,
  subtotal: majorUnits(price.subtotal, price.currency),
  tax: majorUnits(price.tax, price.currency),
  total: majorUnits(price.total, price.currency),
  currency: price.currency,
  country: price.country,
  clientSecret: purchase.clientSecret,
});
