import { billingContract } from '@platform-backend/contract-billing';
import { identityContract, identityEvents } from '@platform-backend/contract-identity';
import { integer, optional, text } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from '@platform-backend/service';
import { fileURLToPath } from 'node:url';
import { refusals } from './store/refusals.ts';
import { paymentSettings } from './wiring/payment-settings.ts';

const ownFile = (name: string) => fileURLToPath(new URL(`../config/${name}`, import.meta.url));

export const service = defineService({
  name: 'billing',
  contract: billingContract,
  port: 5002,
  settings: {
    BILLING_PRICE_BOOK: text({ default: ownFile('price-book.json') }),
    BILLING_SEAT_PRICES: text({ default: ownFile('seat-prices.json') }),
    BILLING_WELCOME_CREDITS: optional(integer({ min: 0, max: 1_000_000 })),
    BILLING_SWEEP_SECONDS: integer({ default: 5, min: 1, max: 8 }),
    BILLING_SCHEDULE_SECONDS: integer({ default: 5, min: 1, max: 3600 }),
    BILLING_CHANGE_LEASE_SECONDS: integer({ default: 60, min: 1, max: 600 }),
    BILLING_GRACE_DAYS: integer({ default: 14, min: 1, max: 90 }),
    BILLING_RENEWAL_RETRY_HOURS: integer({ default: 24, min: 1, max: 240 }),
    BILLING_SELLER: optional(text()),
    BILLING_SELLER_ADDRESS: optional(text()),
    BILLING_SELLER_VAT_ID: optional(text()),
    ...paymentSettings,
  },
  storage: postgres({ migrations: new URL('../migrations/', import.meta.url), refusals, connections: 20 }),
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
