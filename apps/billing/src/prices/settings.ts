import { text } from '@platform-backend/core';
import { fileURLToPath } from 'node:url';

export const priceSettings = {
  BILLING_PRICE_BOOK: text({
    default: fileURLToPath(new URL('../../config/price-book.json', import.meta.url)),
    defaultDescription: '`apps/billing/config/price-book.json`',
    description: 'a file with the prices of credits and the tax rates by country; those of the default are examples',
  }),
};
