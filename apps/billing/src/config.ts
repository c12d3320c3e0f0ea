import { tlsSettings, tracingSettings } from '@platform/grpc';
import { privateKeySettings, publicKeysSettings } from '@platform/auth';
import {
  ConfigurationError,
  hostAndPort,
  integer,
  logLevel,
  oneOf,
  optional,
  readConfiguration,
  secret,
  text,
  url,
} from '@platform/core';
import { metricsSettings } from '@platform/core/metrics';
import { fileURLToPath } from 'node:url';
import type { StripeOptions } from './providers/stripe/stripe-provider.ts';

const postgresUrl = () => url({ protocols: ['postgres', 'postgresql'], example: 'postgres://billing@host/billing' });

const ownSeatPrices = fileURLToPath(new URL('../config/seat-prices.json', import.meta.url));
const ownPriceBook = fileURLToPath(new URL('../config/price-book.json', import.meta.url));

/** The environment of a running service, read once; see the README for what each variable means. */
export type Config = ReturnType<typeof readConfig>;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigurationError naming everything that is wrong with the environment at once. */
export const readConfig = (env: Environment) => {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL, ...rest } = readSettings(env);
  const stripe = { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: STRIPE_API_URL };
  return { ...rest, payments: paymentSettings(rest.BILLING_PAYMENT_PROCESSOR, rest.BILLING_SANDBOX_CARD, stripe) };
};

/** Through whom payments go, and what that takes. */
export type PaymentSettings =
  | ({ readonly processor: 'stripe' } & StripeOptions)
  /** With the card of those who set none up; null: they cannot pay. */
  | { readonly processor: 'sandbox'; readonly cardUnlessSetUp: string | null };

type StripeSettings = Omit<StripeOptions, 'secretKey'> & { readonly secretKey: string | undefined };

/** Nobody gets the sandbox, which gives credits for no money, by leaving something out. */
function paymentSettings(processor: 'stripe' | 'sandbox', card: string, stripe: StripeSettings): PaymentSettings {
  const { secretKey } = stripe;
  if (processor === 'stripe') {
    if (secretKey !== undefined) return { processor, ...stripe, secretKey };
    throw new ConfigurationError([
      'STRIPE_SECRET_KEY is missing; BILLING_PAYMENT_PROCESSOR=stripe needs it, for example sk_test_....',
    ]);
  }
  if (secretKey === undefined) return { processor, cardUnlessSetUp: card === 'none' ? null : card };
  throw new ConfigurationError([
    'STRIPE_SECRET_KEY is set, but BILLING_PAYMENT_PROCESSOR is sandbox: set it to stripe, or leave the key out.',
  ]);
}

const readSettings = (env: Environment) =>
  readConfiguration(env, {
    BILLING_DATABASE_URL: postgresUrl(),
    BILLING_LISTEN: hostAndPort({ default: '127.0.0.1:5002' }),
    BILLING_DATABASE_POOL: integer({ default: 20, min: 2, max: 200 }),
    BILLING_DATABASE_SHARE: optional(integer({ min: 1, max: 200 })),
    BILLING_DATABASE_WAIT_MS: integer({ default: 5_000, min: 100, max: 600_000 }),
    BILLING_LOCK_TIMEOUT_MS: integer({ default: 2_000, min: 10, max: 600_000 }),
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
    BILLING_PAYMENT_PROCESSOR: oneOf(['stripe', 'sandbox']),
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
    ...metricsSettings,
  });

/** What migrating alone needs. */
export const readMigrationConfig = (env: Environment) =>
  readConfiguration(env, {
    BILLING_DATABASE_URL: postgresUrl(),
    BILLING_MIGRATION_URL: postgresUrl(),
    LOG_LEVEL: logLevel(),
  });
