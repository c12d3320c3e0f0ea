import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@platform/core';
import { readConfig } from './config.ts';

const complete = {
  BILLING_PAYMENT_PROCESSOR: 'sandbox',
  BILLING_DATABASE_URL: 'postgres://billing_app:secret@db:5432/billing',
  NATS_URL: 'nats://nats:4222',
  SERVICE_PRIVATE_KEY: '{"kty":"OKP","crv":"Ed25519","kid":"billing","x":"x","d":"d"}',
  SERVICE_PUBLIC_KEYS: '{"keys":[]}',
};

describe('the configuration', () => {
  it('needs a database, NATS and keys, and has defaults for the rest', () => {
    expect(readConfig(complete)).toMatchObject({
      BILLING_LISTEN: '127.0.0.1:5002',
    });
  });

  it('takes payments through the sandbox only where that is asked for by name', () => {
    expect(readConfig(complete).payments).toEqual({ processor: 'sandbox', cardUnlessSetUp: 'pm_card_visa' });
    expect(readConfig({ ...complete, BILLING_SANDBOX_CARD: 'none' }).payments).toMatchObject({ cardUnlessSetUp: null });
    expect(() => readConfig({ ...complete, BILLING_PAYMENT_PROCESSOR: '' })).toThrow(
      'BILLING_PAYMENT_PROCESSOR is missing; it must be one of stripe, sandbox',
    );
    expect(() => readConfig({ ...complete, STRIPE_SECRET_KEY: 'sk_live_1' })).toThrow(
      'STRIPE_SECRET_KEY is set, but BILLING_PAYMENT_PROCESSOR is sandbox',
    );
  });

  it('takes payments through Stripe with its key alone', () => {
    const stripe = { ...complete, BILLING_PAYMENT_PROCESSOR: 'stripe' };
    expect(readConfig({ ...stripe, STRIPE_SECRET_KEY: 'sk_live_1' }).payments).toMatchObject({
      processor: 'stripe',
      secretKey: 'sk_live_1',
    });
    expect(() => readConfig(stripe)).toThrow('STRIPE_SECRET_KEY is missing; BILLING_PAYMENT_PROCESSOR=stripe needs it');
  });

  it('names everything that is missing or wrong at once, and shows no secret', () => {
    try {
      readConfig({
        ...complete,
        NATS_URL: '',
        BILLING_DATABASE_URL: 'mysql://u:hush@db/x',
        SERVICE_PRIVATE_KEY: '{"k":"hush"}',
      });
      throw new Error('it was accepted');
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      expect(error.problems).toHaveLength(3);
      expect(error.message).not.toContain('hush');
    }
  });
});
