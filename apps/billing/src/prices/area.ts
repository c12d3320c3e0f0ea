import type { Area } from '@platform-backend/service';
import { readFileSync } from 'node:fs';
import type { BillingContext, service } from '../service.ts';
import { parsePriceBook } from './domain/parse-price-book.ts';

export type PricesExports = ReturnType<typeof pricesArea>['exports'];

/** Prices: what credits cost in which currency, and what tax is due in which country. */
export const pricesArea = ({ settings }: BillingContext) => {
  const priceBook = parsePriceBook(readFileSync(settings.BILLING_PRICE_BOOK, 'utf8'));
  return { exports: { priceBook } } satisfies Area<typeof service.declaration>;
};
