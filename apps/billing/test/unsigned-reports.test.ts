import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migratedDatabase, refusalOf, startService, type ServiceProcess } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import Stripe from 'stripe';
import { service } from '../src/service.ts';
import { connectAs, keys, type BillingClients } from './test-billing.ts';

const secret = 'whsec_test';
const nobodyListens = '127.0.0.1:9';
const nobody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } as const };

let postgres: ThrowawayPostgres;
let billing: ServiceProcess;
let clients: BillingClients;

beforeAll(async () => {
  postgres = await migratedDatabase(service);
  billing = await startService('billing', {
    BILLING_DATABASE_URL: postgres.appUrl,
    BILLING_LISTEN: '127.0.0.1:0',
    IDENTITY_ADDRESS: nobodyListens,
    NATS_URL: `nats://${nobodyListens}`,
    SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.billing),
    SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
    BILLING_PAYMENT_PROCESSOR: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_URL: `http://${nobodyListens}`,
  });
  clients = connectAs('gateway', billing.address);
});
afterAll(async () => {
  clients.close();
  await billing.kill();
  await postgres.drop();
});

const report = (payload: Buffer, signature: string) =>
  clients.webhooks.receiveStripeWebhook({ payload, signature }, nobody);
const signed = (payload: string) => Stripe.webhooks.generateTestHeaderString({ payload, secret });

describe('a report that is not Stripe’s', () => {
  it.each([
    { what: 'without a signature', payload: Buffer.from('{}'), signature: '', code: 'missing_signature' },
    { what: 'without anything', payload: Buffer.alloc(0), signature: '', code: 'missing_signature' },
    {
      what: 'with no such signature',
      payload: Buffer.from('{}'),
      signature: 'x'.repeat(1_000),
      code: 'invalid_signature',
    },
    { what: 'with another body’s', payload: Buffer.from('{}'), signature: signed('[]'), code: 'invalid_signature' },
    {
      what: 'of bytes that are no text',
      payload: Buffer.alloc(500_000, 0xff),
      signature: signed('{}'),
      code: 'invalid_signature',
    },
    { what: 'signed, but no JSON', payload: Buffer.from('{'), signature: signed('{'), code: 'unreadable_report' },
    { what: 'signed, but no event', payload: Buffer.from('{}'), signature: signed('{}'), code: 'unreadable_report' },
  ])('is refused with a reason, and the process lives on: one $what', async ({ payload, signature, code }) => {
    expect(await refusalOf(report(payload, signature))).toMatchObject({ kind: 'malformed', code });
    // Whoever ends takes a moment to do so: the next answer must be one, too.
    expect(await refusalOf(report(Buffer.from('{}'), ''))).toMatchObject({ code: 'missing_signature' });
  });

  it('is told what is missing', async () => {
    const refusal = await refusalOf(report(Buffer.from('{}'), ''));
    expect(refusal.message).toBe('The header Stripe-Signature is missing');
  });
});
