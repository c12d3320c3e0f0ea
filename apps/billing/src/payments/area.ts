import { newId, type Clock } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { paymentMethodHandlers } from './api/payment-method-handlers.ts';
import { webhookHandlers } from './api/webhook-handlers.ts';
import { paymentProcessor } from './app/charge-organisation.ts';
import { paymentMethodUseCases, type PaymentMethodPorts } from './app/payment-methods.ts';
import type { ProviderEventPorts } from './app/receive-provider-event.ts';
import { sandboxProvider } from './sandbox/sandbox-provider.ts';
import { paymentsThrough, type PaymentsThrough } from './settings.ts';
import { providerEventsStore } from './store/provider-events-store.ts';
import { sandboxStore } from './store/sandbox-store.ts';
import { walletsStore } from './store/wallets-store.ts';
import { stripeProvider } from './stripe/stripe-provider.ts';

export type PaymentsExports = ReturnType<typeof paymentsArea>['exports'];

/** What those who sell something say to it. */
type PaymentsNeeds = Pick<PaymentMethodPorts, 'isChargedAgain'> & Pick<ProviderEventPorts, 'paymentSettled'>;

/** Payments: what organisations pay with, and who takes their money. */
export const paymentsArea = ({ settings, storage, clock, logger }: BillingContext, needs: PaymentsNeeds) => {
  const { database } = storage;
  const { provider, sandbox, webhooks } = providerOf(paymentsThrough(settings), database, clock);
  if (sandbox) {
    logger.warn(
      { event: 'payments.in_sandbox' },
      'payments go through the sandbox: credits and seats are given for test cards, and no money moves',
    );
  }
  const wallets = walletsStore(database, provider.name);
  const providerEvents = providerEventsStore(database);
  const useCases = paymentMethodUseCases({
    ...needs,
    wallets,
    provider,
    sandbox,
    webhooks,
    providerEvents,
    clock,
    newId,
  });
  return {
    handlers: { PaymentMethodService: paymentMethodHandlers(useCases), WebhookService: webhookHandlers(useCases) },
    exports: { payments: paymentProcessor({ wallets, provider, clock, newId }), wallets, provider },
  } satisfies Area<typeof service.declaration>;
};

function providerOf(settings: PaymentsThrough, database: Database, clock: Clock) {
  if (settings.processor === 'stripe') {
    const stripe = stripeProvider(settings);
    return { provider: stripe, sandbox: null, webhooks: stripe };
  }
  const sandbox = sandboxProvider({ books: sandboxStore(database), clock, cardUnlessSetUp: settings.cardUnlessSetUp });
  return { provider: sandbox, sandbox, webhooks: null };
}
