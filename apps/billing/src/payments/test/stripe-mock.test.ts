import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { freePort, supervise } from '@platform-backend/embedded';
import { hasSharedPrograms, runDirectory, sharedProgram } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import type { ProviderCharge } from '../domain/payment-provider.ts';
import { stripeProvider } from '../stripe/stripe-provider.ts';

describeWhere(
  hasSharedPrograms ? undefined : 'there is no stripe-mock beside the repository',
  "what is asked of Stripe, by Stripe's own description of its interface",
  () => {
    const running = new AsyncDisposableStack();
    let apiUrl: string;
    beforeAll(async () => {
      const [port, securePort] = [await freePort(), await freePort()];
      const server = await supervise({
        name: 'stripe-mock',
        command: sharedProgram('stripe-mock'),
        args: ['-http-port', String(port), '-https-port', String(securePort)],
        env: {},
        logFile: join(mkdtempSync(join(runDirectory(), 'stripe-mock-')), 'log'),
        stopSignal: 'SIGTERM',
        keepsUsAlive: false,
        ready: (line) => line.includes('Listening for HTTP') || undefined,
      });
      running.defer(async () => {
        await server.stop();
      });
      apiUrl = `http://127.0.0.1:${port}`;
    });
    afterAll(() => running.disposeAsync());

    /** What the mock says against a request; null: nothing. What it answers are fixtures, that fit nothing. */
    async function refusalOf(ask: () => Promise<unknown>): Promise<string | null> {
      try {
        await ask();
        return null;
      } catch (error) {
        const cause = error instanceof Stripe.errors.StripeError ? error : (error as Error).cause;
        return cause instanceof Stripe.errors.StripeError ? cause.message : null;
      }
    }

    it('is accepted, all of it', async () => {
      const provider = stripeProvider({ secretKey: 'sk_test_1', apiUrl });
      const payer = { organisationId: 'org_1', customer: 'cus_1' };
      const at = new Date();
      const charge: ProviderCharge = {
        ...{ id: newId(), organisationId: 'org_1', purpose: 'CREDIT_PURCHASE', subjectId: newId(), attempt: 1 },
        ...{ idempotencyKey: newId(), amountMinor: 83n, currency: 'EUR', paymentMethodId: null, payerIsAway: true },
        ...{ description: '70 credits', paymentMethod: 'pm_card_visa', reference: null, clientSecret: null },
        ...{ state: 'PENDING', reason: null, createdAt: at, deadlineAt: at, nextLookAt: at },
      };
      const refund = { id: newId(), paymentReference: 'pi_1', amountMinor: 83n };
      const listed = async () => {
        for await (const payment of provider.listPayments(at)) expect(payment.reference).toMatch(/^pi_/);
      };
      for (const ask of [
        () => provider.createCustomer('org_1', null),
        () => provider.createCustomer('org_1', 'cus_1'),
        () => provider.createSetupIntent(payer, newId()),
        () => provider.createSetupIntent(null, newId()),
        () => provider.listPaymentMethods(payer),
        () => provider.detachPaymentMethod(payer, 'pm_1'),
        () => provider.charge(payer, charge),
        () => provider.charge(payer, { ...charge, payerIsAway: false, idempotencyKey: newId() }),
        () => provider.getPayment(payer, 'pi_1'),
        () => provider.findPayment(payer, charge),
        () => provider.cancelPayment(payer, 'pi_1'),
        () => provider.refund(payer, refund),
        () => provider.findRefund(payer, refund),
        listed,
      ]) {
        expect([String(ask), await refusalOf(ask)]).toEqual([String(ask), null]);
      }
    });

    it('would be refused otherwise', async () => {
      const stripe = new Stripe('sk_test_1', { protocol: 'http', host: '127.0.0.1', port: new URL(apiUrl).port });
      const wrong = { amount: 1, currency: 'eur', payment_id: 'ours' } as unknown as Stripe.PaymentIntentCreateParams;
      expect(await refusalOf(() => stripe.paymentIntents.create(wrong))).toContain(
        'additional properties are not allowed',
      );
    });
  },
);
