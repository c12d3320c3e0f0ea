import type { Area } from '@platform-backend/service';
import { readFileSync } from 'node:fs';
import type { BillingContext, service } from '../service.ts';
import { parsePriceBook } from './domain/parse-price-book.ts';
import { signedPreviewTokens } from './preview-tokens/signed-preview-tokens.ts';
import { previewKeysStore } from './store/preview-keys-store.ts';

export type PricesExports = ReturnType<typeof pricesArea>['exports'];

/** Prices: what credits cost in which currency, what tax is due in which country, and the tokens of previews. */
export const pricesArea = ({ settings, storage }: BillingContext) => {
  const priceBook = parsePriceBook(readFileSync(settings.BILLING_PRICE_BOOK, 'utf8'));
  return {
    exports: { priceBook, previewTokens: signedPreviewTokens(previewKeysStore(storage.database)) },
  } satisfies Area<typeof service.declaration>;
};
