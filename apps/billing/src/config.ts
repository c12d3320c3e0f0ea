import { tlsSettings, tracingSettings } from '@platform/grpc';
import { privateKeySettings, publicKeysSettings } from '@platform/auth';
import { hostAndPort, integer, logLevel, optional, readConfiguration, secret, text, url } from '@platform/core';
import { fileURLToPath } from 'node:url';

const postgresUrl = () => url({ protocols: ['postgres', 'postgresql'], example: 'postgres://billing@host/billing' });

const ownSeatPrices = fileURLToPath(new URL('../config/seat-prices.json', import.meta.url));
const ownPriceBook = fileURLToPath(new URL('../config/price-book.json', import.meta.url));

/** The environment of a running service, read once; see the README for what each variable means. */
export type Config = ReturnType<typeof readConfig>;

/** @throws ConfigurationError naming everything that is wrong with the environment at once. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(env, {
    BILLING_DATABASE_URL: postgresUrl(),
    BILLING_MIGRATION_URL: optional(postgresUrl()),
    BILLING_LISTEN: hostAndPort({ default: '127.0.0.1:5002' }),
    BILLING_DATABASE_POOL: integer({ default: 20, min: 2, max: 200 }),
    BILLING_PRICE_BOOK: text({ default: ownPriceBook }),
    BILLING_SWEEP_SECONDS: integer({ default: 5, min: 1, max: 8 }),
    BILLING_SEAT_PRICES: text({ default: ownSeatPrices }),
    BILLING_SCHEDULE_SECONDS: integer({ default: 5, min: 1, max: 3600 }),
    BILLING_CHANGE_LEASE_SECONDS: integer({ default: 60, min: 1, max: 600 }),
    BILLING_GRACE_DAYS: integer({ default: 14, min: 1, max: 90 }),
    BILLING_RENEWAL_RETRY_HOURS: integer({ default: 24, min: 1, max: 240 }),
    BILLING_SELLER: optional(text()),
    BILLING_SELLER_ADDRESS: optional(text()),
    BILLING_SELLER_VAT_ID: optional(text()),
    BILLING_SANDBOX_CARD: text({ default: 'pm_card_visa', pattern: /^(none|pm_card_\w+)$/ }),
    STRIPE_SECRET_KEY: optional(secret(text({ pattern: /^[sr]k_(test|live)_\w+$/, example: 'sk_test_...' }))),
    STRIPE_WEBHOOK_SECRET: optional(secret(text({ pattern: /^whsec_\S+$/, example: 'whsec_...' }))),
    STRIPE_API_URL: url({ protocols: ['https', 'http'], default: 'https://api.stripe.com' }),
    IDENTITY_ADDRESS: hostAndPort({ default: '127.0.0.1:5001' }),
    NATS_URL: url({ protocols: ['nats', 'tls'], example: 'nats://127.0.0.1:4222' }),
    ...privateKeySettings,
    ...publicKeysSettings,
    LOG_LEVEL: logLevel(),
    ...tlsSettings,
    ...tracingSettings,
  });

/** What migrating alone needs. */
export const readMigrationConfig = (env: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(env, {
    BILLING_DATABASE_URL: postgresUrl(),
    BILLING_MIGRATION_URL: postgresUrl(),
    LOG_LEVEL: logLevel(),
  });
