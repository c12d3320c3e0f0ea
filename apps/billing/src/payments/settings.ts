import {
  ConfigurationError,
  integer,
  oneOf,
  optional,
  secret,
  text,
  url,
  type Configuration,
} from '@platform-backend/core';
import type { PaymentLimits } from './domain/payment-limits.ts';
import type { StripeOptions } from './stripe/stripe-provider.ts';

export const paymentSettings = {
  BILLING_PAYMENT_PROCESSOR: oneOf(['stripe', 'sandbox'], {
    description:
      'through whom payments go; in the sandbox no money moves. `npm start` takes `stripe` where there is a key of it, else `sandbox`',
  }),
  BILLING_SANDBOX_CARD: text({
    default: 'pm_card_visa',
    pattern: /^(none|pm_card_\w+)$/,
    mustBe: 'none or a card of the sandbox',
    description: 'the card of those who set none up, in the sandbox; `none`: they cannot pay',
  }),
  STRIPE_SECRET_KEY: optional(
    secret(
      text({
        pattern: /^[sr]k_(test|live)_\w+$/,
        mustBe: 'a secret or restricted key of Stripe',
        example: 'sk_test_...',
        description: 'of Stripe; required with `stripe`, and refused with `sandbox`',
      }),
    ),
  ),
  STRIPE_WEBHOOK_SECRET: optional(
    secret(
      text({
        pattern: /^whsec_\S+$/,
        mustBe: 'the signing secret of a webhook of Stripe',
        example: 'whsec_...',
        description: 'by which the reports of Stripe are believed',
      }),
    ),
  ),
  BILLING_RECONCILIATION_HOURS: integer({
    default: 24,
    min: 1,
    max: 168,
    description: 'how often what was paid is compared with what the processor says',
  }),
  BILLING_RECONCILIATION_DAYS: integer({
    default: 7,
    min: 1,
    max: 90,
    description: 'of how many days',
  }),
  BILLING_SETUP_INTENTS_PER_HOUR: integer({
    default: 40,
    min: 1,
    max: 100_000,
    description: 'how many cards an organisation can begin to set up in an hour; then 429',
  }),
  BILLING_PURCHASES_PER_HOUR: integer({
    default: 60,
    min: 1,
    max: 1_000_000,
    description: 'how many purchases an organisation can begin in an hour; then 429',
  }),
  BILLING_REFUNDS_PER_HOUR: integer({
    default: 30,
    min: 1,
    max: 1_000_000,
    description: 'how many refunds an organisation can begin in an hour; then 429',
  }),
  BILLING_DECLINES_PER_DAY: integer({
    default: 20,
    min: 1,
    max: 100_000,
    description:
      'how many payments of an organisation, and with one card, may be declined in a day before no further one is tried',
  }),
  STRIPE_API_URL: url({
    protocols: ['https', 'http'],
    default: 'https://api.stripe.com',
    description: 'where Stripe is',
  }),
};

/** Through whom payments go, and what that takes. */
export type PaymentsThrough =
  | ({ readonly processor: 'stripe' } & StripeOptions)
  /** With the card of those who set none up; null: they cannot pay. */
  | { readonly processor: 'sandbox'; readonly cardUnlessSetUp: string | null };

/** Nobody gets the sandbox, which gives credits for no money, by leaving something out. */
export function paymentsThrough(settings: Configuration<typeof paymentSettings>): PaymentsThrough {
  const { BILLING_PAYMENT_PROCESSOR: processor, BILLING_SANDBOX_CARD: card, STRIPE_SECRET_KEY: secretKey } = settings;
  if (processor === 'stripe') {
    const { STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: apiUrl } = settings;
    if (secretKey !== undefined) return { processor, secretKey, webhookSecret, apiUrl };
    throw new ConfigurationError([
      'STRIPE_SECRET_KEY is missing; BILLING_PAYMENT_PROCESSOR=stripe needs it, for example sk_test_....',
    ]);
  }
  if (secretKey === undefined) return { processor, cardUnlessSetUp: card === 'none' ? null : card };
  throw new ConfigurationError([
    'STRIPE_SECRET_KEY is set, but BILLING_PAYMENT_PROCESSOR is sandbox: set it to stripe, or leave the key out.',
  ]);
}

const hourMs = 3_600_000;

/** What limits those who test stolen cards. */
export function paymentLimits(settings: Configuration<typeof paymentSettings>): PaymentLimits {
  const { BILLING_SETUP_INTENTS_PER_HOUR: setups, BILLING_PURCHASES_PER_HOUR: purchases } = settings;
  const declines = settings.BILLING_DECLINES_PER_DAY;
  return {
    setup_intents: { name: 'setup_intents', max: setups, windowMs: hourMs },
    purchases: { name: 'purchases', max: purchases, windowMs: hourMs },
    refunds: { name: 'refunds', max: settings.BILLING_REFUNDS_PER_HOUR, windowMs: hourMs },
    declines: { name: 'declines', max: declines, windowMs: 24 * hourMs },
    declines_of_card: { name: 'declines_of_card', max: declines, windowMs: 24 * hourMs },
  };
}
