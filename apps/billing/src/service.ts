import { billingContract } from '@platform-backend/contract-billing';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import { integer, optional, text } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from '@platform-backend/service';
import { fileURLToPath } from 'node:url';
import { constraintErrors } from './credits/store/constraint-errors.ts';
import { paymentSettings } from './payments/settings.ts';

const ownFile = (name: string) => fileURLToPath(new URL(`../config/${name}`, import.meta.url));

export const service = defineService({
  name: 'billing',
  contract: billingContract,
  port: 5002,
  settings: {
    BILLING_PRICE_BOOK: text({
      default: ownFile('price-book.json'),
      defaultDescription: '`apps/billing/config/price-book.json`',
      description: 'a file with the prices of credits and the tax rates by country; those of the default are examples',
    }),
    BILLING_SEAT_PRICES: text({
      default: ownFile('seat-prices.json'),
      defaultDescription: '`apps/billing/config/seat-prices.json`',
      description: 'a file with the prices of seats: minor units for a seat and cycle',
    }),
    BILLING_WELCOME_CREDITS: optional(
      integer({
        min: 0,
        max: 1_000_000,
        defaultDescription: 'as in the price book, which gives 0; by `npm start` 100',
        description: 'credits that are given once to every organisation',
      }),
    ),
    BILLING_SWEEP_SECONDS: integer({
      default: 5,
      min: 1,
      max: 8,
      description: 'how often reservations of dead workers are looked for',
    }),
    BILLING_SCHEDULE_SECONDS: integer({
      default: 5,
      min: 1,
      max: 3600,
      description: 'how often renewals, and changes and purchases that were left behind, are looked for',
    }),
    BILLING_CHANGE_LEASE_SECONDS: integer({
      default: 60,
      min: 1,
      max: 600,
      description: 'when a change or purchase counts as left behind',
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
    BILLING_SELLER: optional(
      text({ defaultDescription: 'an example, marked as one', description: 'who issues the invoices, at their top' }),
    ),
    BILLING_SELLER_ADDRESS: optional(
      text({ description: 'the address of the seller, its lines parted by `;`; with `BILLING_SELLER` only' }),
    ),
    BILLING_SELLER_VAT_ID: optional(text({ description: 'the VAT ID of the seller; with `BILLING_SELLER` only' })),
    ...paymentSettings,
  },
  storage: postgres({
    migrations: new URL('../migrations/', import.meta.url),
    constraintErrors: constraintErrors,
    connections: 20,
  }),
  calls: { identity: identityContract },
  events: {
    publishes: true,
    follows: [],
    reactions: {
      'billing-on-client-group-changed': identityEvents('client_group.*'),
      'billing-on-organisation-deleted': identityEvents('organisation.deleted'),
    },
  },
  development: {
    defaults: ({ STRIPE_SECRET_KEY: key = '' }) => ({
      BILLING_PAYMENT_PROCESSOR: key.trim() === '' ? 'sandbox' : 'stripe',
      // Nobody has to buy anything to see an assistant answer.
      BILLING_WELCOME_CREDITS: '100',
    }),
    notice: ({ BILLING_PAYMENT_PROCESSOR: processor }) =>
      processor === 'sandbox' ? 'payments through the sandbox: no money moves' : 'payments through Stripe',
  },
});
