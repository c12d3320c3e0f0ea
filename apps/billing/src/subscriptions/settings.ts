import { integer, text } from '@platform-backend/core';
import { fileURLToPath } from 'node:url';

export const subscriptionSettings = {
  BILLING_SEAT_PRICES: text({
    default: fileURLToPath(new URL('../../config/seat-prices.json', import.meta.url)),
    defaultDescription: '`apps/billing/config/seat-prices.json`',
    description:
      'a file with the prices of seats: minor units for a seat and cycle, credits that come with it, days of a trial',
  }),
  BILLING_GRACE_DAYS: integer({
    default: 14,
    min: 1,
    max: 90,
    description: 'how long a refused renewal is tried again',
  }),
  BILLING_RENEWAL_RETRY_HOURS: integer({
    default: 24,
    min: 1,
    max: 240,
    description: 'how often it is tried within these days',
  }),
};
