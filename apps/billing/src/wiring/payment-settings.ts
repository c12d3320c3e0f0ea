import { ConfigurationError, oneOf, optional, secret, text, url, type Configuration } from '@platform-backend/core';
import type { StripeOptions } from '../providers/stripe/stripe-provider.ts';

export const paymentSettings = {
  BILLING_PAYMENT_PROCESSOR: oneOf(['stripe', 'sandbox']),
  BILLING_SANDBOX_CARD: text({ default: 'pm_card_visa', pattern: /^(none|pm_card_\w+)$/ }),
  STRIPE_SECRET_KEY: optional(secret(text({ pattern: /^[sr]k_(test|live)_\w+$/, example: 'sk_test_...' }))),
  STRIPE_WEBHOOK_SECRET: optional(secret(text({ pattern: /^whsec_\S+$/, example: 'whsec_...' }))),
  STRIPE_API_URL: url({ protocols: ['https', 'http'], default: 'https://api.stripe.com' }),
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
