import type {
  CreditPurchaseInput,
  CreditPurchasePreviewInput,
  PricePreviewInput,
} from '@platform-backend/contract-billing';
import { majorUnits } from '../../prices/domain/currency.ts';
import type { Price } from '../../prices/domain/price-book.ts';
import { taxNote } from '../../prices/domain/sale-tax.ts';
import type { PurchasePreview } from '../app/purchases.ts';
import type { CreditPurchase } from '../domain/credit-purchase.ts';

export const priceMessage = ({ subtotal, tax, total, currency }: Price): PricePreviewInput => ({
  subtotal: majorUnits(subtotal, currency),
  tax: majorUnits(tax, currency),
  total: majorUnits(total, currency),
});

export const purchasePreviewMessage = ({
  price,
  taxed,
  creditsExpireAt,
  token,
  expiresAt,
}: PurchasePreview): CreditPurchasePreviewInput => ({
  credits: price.credits,
  currency: price.currency,
  country: price.country,
  subtotalMinor: price.subtotal.toString(),
  taxMinor: price.tax.toString(),
  totalMinor: price.total.toString(),
  taxRate: Number(taxed.basisPoints) / 100,
  taxTreatment: taxed.treatment,
  taxNote: taxNote(taxed),
  creditsExpireAt,
  token,
  tokenExpiresAt: expiresAt,
});

export const purchaseMessage = ({ price, ...purchase }: CreditPurchase): CreditPurchaseInput => ({
  id: purchase.id,
  createdAt: purchase.createdAt,
  status: purchase.status,
  credits: price.credits,
  subtotal: majorUnits(price.subtotal, price.currency),
  tax: majorUnits(price.tax, price.currency),
  total: majorUnits(price.total, price.currency),
  subtotalMinor: price.subtotal.toString(),
  taxMinor: price.tax.toString(),
  totalMinor: price.total.toString(),
  currency: price.currency,
  country: price.country,
  clientSecret: purchase.clientSecret,
  origin: purchase.origin,
});
