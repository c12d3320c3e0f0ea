import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { paymentSettings, paymentsThrough } from '../settings.ts';

const read = (env: Readonly<Record<string, string>>) => paymentsThrough(readConfiguration(env, paymentSettings));
const sandbox = { BILLING_PAYMENT_PROCESSOR: 'sandbox' };
const stripe = { BILLING_PAYMENT_PROCESSOR: 'stripe' };

describe('payments', () => {
  it('go through the sandbox only where that is asked for by name', () => {
    expect(read(sandbox)).toEqual({ processor: 'sandbox', cardUnlessSetUp: 'pm_card_visa' });
    expect(read({ ...sandbox, BILLING_SANDBOX_CARD: 'none' })).toMatchObject({ cardUnlessSetUp: null });
    expect(() => read({})).toThrow('BILLING_PAYMENT_PROCESSOR is missing; it must be one of stripe, sandbox');
    expect(() => read({ ...sandbox, STRIPE_SECRET_KEY: 'sk_live_1' })).toThrow(
      'STRIPE_SECRET_KEY is set, but BILLING_PAYMENT_PROCESSOR is sandbox',
    );
  });

  it('go through Stripe with its key alone', () => {
    const through = read({ ...stripe, STRIPE_SECRET_KEY: 'sk_live_1' });
    expect(through).toMatchObject({ processor: 'stripe', secretKey: 'sk_live_1' });
    expect(() => read(stripe)).toThrow('STRIPE_SECRET_KEY is missing; BILLING_PAYMENT_PROCESSOR=stripe needs it');
  });
});
