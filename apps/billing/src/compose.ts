import { assertionVerifier, callerAssertions } from '@platform/auth';
import { loadContract } from '@platform/contract';
import {
  newId,
  systemClock,
  type Clock,
  type Logger,
  type RunningService,
  type ServiceEnvironment,
} from '@platform/core';
import { createMetrics } from '@platform/core/metrics';
import { openEventBus, postgresOutbox, startRelay } from '@platform/events';
import { countCalls, startGrpcServer, tlsFrom, type ServedService } from '@platform/grpc';
import { openDatabase, requireRestrictedRole, type Database } from '@platform/postgres';
import { creditHandlers } from './api/credit-handlers.ts';
import { invoiceHandlers } from './api/invoice-handlers.ts';
import { paymentMethodHandlers } from './api/payment-method-handlers.ts';
import { subscriptionHandlers } from './api/subscription-handlers.ts';
import { usageHandlers } from './api/usage-handlers.ts';
import { webhookHandlers } from './api/webhook-handlers.ts';
import { billingApp, type BillingApp } from './app/billing-app.ts';
import type { BillingParts } from './app/billing-parts.ts';
import type { CreditParts } from './app/credits/credit-parts.ts';
import { repeat, type Repeated } from './app/repeat.ts';
import { composePayments } from './compose-payments.ts';
import { composeUsage } from './compose-usage.ts';
import type { Config } from './config.ts';
import { eventAccess, policyChanges } from './event-access.ts';
import { parsePriceBook } from './domain/prices/parse-price-book.ts';
import { followPolicyChanges } from './reactions/follow-policy-changes.ts';
import { creditAccountsStore } from './store/credit-accounts-store.ts';
import { creditPurchasesStore } from './store/credit-purchases-store.ts';
import { refusals } from './store/refusals.ts';
import { wakeCall } from './store/wake-relay.ts';
import { readFileSync } from 'node:fs';

/** Builds the service from its parts and starts it. The only place that knows which implementation is used. */
export async function startBilling(environment: ServiceEnvironment<Config>): Promise<RunningService> {
  const { config, logger, accessLog, clock = systemClock } = environment;
  // Closed in the reverse order, also when one of them cannot be started: the server first, the database last.
  const running = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    const metricsPage = await metrics.serve(config.METRICS_LISTEN);
    running.defer(() => metricsPage.close());
    const database = openDatabase({
      url: config.BILLING_DATABASE_URL,
      applicationName: 'billing',
      poolMax: config.BILLING_DATABASE_POOL,
      share: config.BILLING_DATABASE_SHARE,
      acquireTimeoutMs: config.BILLING_DATABASE_WAIT_MS,
      lockTimeoutMs: config.BILLING_LOCK_TIMEOUT_MS,
      logger,
      refusals,
    });
    running.defer(() => database.close());
    await requireRestrictedRole(database.knex);
    const bus = openEventBus({ servers: config.NATS_URL, name: eventAccess.service, logger });
    running.defer(() => bus.close());
    const wakeRelay = wakeCall();
    const relay = startRelay({ outbox: wakeRelay.wakes(postgresOutbox(database)), bus, logger, metrics });
    running.defer(() => relay.stop());
    const credits = creditParts(database, wakeRelay.call, config, clock);
    const assertions = callerAssertions({ service: 'billing', privateKey: config.SERVICE_PRIVATE_KEY });
    const usage = composeUsage({ config, database, clock, assertions });
    running.defer(() => usage.close());
    const followed = followPolicyChanges({ bus, logger, on: policyChanges, news: usage.policyNews });
    running.defer(() => followed.close());
    if (config.payments.processor === 'sandbox') {
      logger.warn('payments go through the sandbox: credits and seats are given for test cards, and no money moves');
    }
    const payments = composePayments({
      config,
      database,
      clock,
      assertions,
      priceBook: credits.priceBook,
      paymentSettled: async (payment) => {
        await app.recordPaymentOutcome(payment);
      },
    });
    running.defer(() => payments.close());
    const purchases = creditPurchasesStore(database, payments.invoiceTerms);
    const parts: BillingParts = { ...credits, ...payments.parts, ...usage.parts, purchases };
    const app = billingApp(parts);
    for (const work of repeatedWork(app, config, logger)) {
      const repetition = repeat({ ...work, logger });
      running.defer(() => repetition.stop());
    }
    const server = await startGrpcServer({
      contract: loadContract(),
      logger,
      accessLog,
      listen: config.BILLING_LISTEN,
      verifier: assertionVerifier({ keys: config.SERVICE_PUBLIC_KEYS, clock }),
      tls: tlsFrom(config),
      onCall: countCalls(metrics),
      services: billingServices(app, parts.seatPrices.currency),
    });
    running.defer(() => server.drain());
    const { address: metricsAddress } = metricsPage;
    return { address: server.address, metricsAddress, stop: () => running.disposeAsync() };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

const repeatedWork = (app: BillingApp, config: Config, logger: Logger): Omit<Repeated, 'logger'>[] => [
  { what: 'the sweep of credits', everyMs: config.BILLING_SWEEP_SECONDS * 1000, work: app.sweepCredits },
  {
    what: 'the finishing of purchases',
    everyMs: config.BILLING_SCHEDULE_SECONDS * 1000,
    work: () => app.finishPendingPurchases(logger),
  },
  {
    what: 'the report of usage',
    everyMs: config.BILLING_SWEEP_SECONDS * 1000,
    work: () => app.reportUsage(logger),
  },
  {
    what: 'the schedule of subscriptions',
    everyMs: config.BILLING_SCHEDULE_SECONDS * 1000,
    work: () => app.workOnSchedule(logger),
  },
];

function creditParts(database: Database, published: () => void, config: Config, clock: Clock): CreditParts {
  return {
    credits: creditAccountsStore(database, published),
    priceBook: parsePriceBook(readFileSync(config.BILLING_PRICE_BOOK, 'utf8')),
    clock,
    newId,
  };
}

const billingServices = (app: BillingApp, seatCurrency: string): ServedService[] => [
  { name: 'platform.billing.v1.CreditService', handlers: creditHandlers(app) },
  { name: 'platform.billing.v1.InvoiceService', handlers: invoiceHandlers(app) },
  { name: 'platform.billing.v1.PaymentMethodService', handlers: paymentMethodHandlers(app) },
  { name: 'platform.billing.v1.SubscriptionService', handlers: subscriptionHandlers(app, seatCurrency) },
  { name: 'platform.billing.v1.UsageService', handlers: usageHandlers(app) },
  { name: 'platform.billing.v1.WebhookService', handlers: webhookHandlers(app) },
];
