import type { Logger } from '@platform-backend/core';
import type { Compose } from '@platform-backend/service';
import { creditHandlers } from './api/credit-handlers.ts';
import { invoiceHandlers } from './api/invoice-handlers.ts';
import { paymentMethodHandlers } from './api/payment-method-handlers.ts';
import { subscriptionHandlers } from './api/subscription-handlers.ts';
import { usageHandlers } from './api/usage-handlers.ts';
import { webhookHandlers } from './api/webhook-handlers.ts';
import { closeDeletedOrganisations } from './app/close-organisation.ts';
import { creditUseCases } from './app/credits.ts';
import { invoiceUseCases } from './app/invoices.ts';
import { paymentMethodUseCases } from './app/payment-methods.ts';
import { purchaseUseCases } from './app/purchases.ts';
import { reportUsage } from './app/report-usage.ts';
import { subscriptionUseCases } from './app/subscriptions.ts';
import { sweepCredits } from './app/sweep-credits.ts';
import { usageUseCases } from './app/usage.ts';
import { workOnSchedule } from './app/work-on-schedule.ts';
import { onClientGroupChanged } from './reactions/on-client-group-changed.ts';
import { onOrganisationDeleted } from './reactions/on-organisation-deleted.ts';
import type { service } from './service.ts';
import { savePolicy } from './store/client-policies-store.ts';
import { beginClosure } from './store/organisation-closures-store.ts';
import { openPorts, type Ports } from './wiring/ports.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = (frame) => {
  const { settings, logger } = frame;
  const ports = openPorts(frame);
  if (ports.sandbox) {
    logger.warn(
      { event: 'payments.in_sandbox' },
      'payments go through the sandbox: credits and seats are given for test cards, and no money moves',
    );
  }
  const app = billingApp(ports);
  const seats = { currency: ports.seatPrices.currency, currentOrganisation: ports.currentOrganisation };
  const [sweepMs, scheduleMs] = [settings.BILLING_SWEEP_SECONDS * 1000, settings.BILLING_SCHEDULE_SECONDS * 1000];
  return {
    handlers: {
      CreditService: creditHandlers(app),
      InvoiceService: invoiceHandlers(app),
      PaymentMethodService: paymentMethodHandlers(app),
      SubscriptionService: subscriptionHandlers(app, seats),
      UsageService: usageHandlers(app),
      WebhookService: webhookHandlers(app),
    },
    reactions: {
      'billing-on-client-group-changed': onClientGroupChanged(savePolicy),
      'billing-on-organisation-deleted': onOrganisationDeleted(beginClosure),
    },
    jobs: [
      { name: 'the sweep of credits', everyMs: sweepMs, run: app.sweepCredits },
      { name: 'the finishing of purchases', everyMs: scheduleMs, run: () => app.finishPendingPurchases(logger) },
      { name: 'the report of usage', everyMs: sweepMs, run: () => app.reportUsage(logger) },
      {
        name: 'the closing of deleted organisations',
        everyMs: scheduleMs,
        run: () => app.closeDeletedOrganisations(logger),
      },
      { name: 'the schedule of subscriptions', everyMs: scheduleMs, run: () => app.workOnSchedule(logger) },
    ],
  };
};

/** Everything the service can do. */
function billingApp(ports: Ports) {
  const purchases = purchaseUseCases(ports);
  return {
    ...creditUseCases(ports),
    ...purchases,
    ...invoiceUseCases(ports),
    ...paymentMethodUseCases({ ...ports, paymentSettled: purchases.recordPaymentOutcome }),
    ...subscriptionUseCases(ports),
    ...usageUseCases(ports),
    sweepCredits: () => sweepCredits(ports),
    workOnSchedule: (logger: Logger) => workOnSchedule(ports, logger),
    reportUsage: (logger: Logger) => reportUsage(ports, logger),
    closeDeletedOrganisations: (logger: Logger) => closeDeletedOrganisations(ports, logger),
  };
}
