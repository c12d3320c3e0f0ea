import type { Logger } from '@platform-backend/core';
import type { Compose } from '@platform-backend/service';
import { creditHandlers } from './credits/api/credit-handlers.ts';
import { creditUseCases } from './credits/app/credits.ts';
import { sweepCredits } from './credits/app/sweep-credits.ts';
import { invoiceHandlers } from './invoices/api/invoice-handlers.ts';
import { invoiceUseCases } from './invoices/app/invoices.ts';
import { closeDeletedOrganisations } from './organisation-closure/app/close-organisation.ts';
import { onOrganisationDeleted } from './organisation-closure/reactions/on-organisation-deleted.ts';
import { beginClosure } from './organisation-closure/store/organisation-closures-store.ts';
import { paymentMethodHandlers } from './payments/api/payment-method-handlers.ts';
import { webhookHandlers } from './payments/api/webhook-handlers.ts';
import { paymentMethodUseCases } from './payments/app/payment-methods.ts';
import { purchaseUseCases } from './purchases/app/purchases.ts';
import type { service } from './service.ts';
import { subscriptionHandlers } from './subscriptions/api/subscription-handlers.ts';
import { subscriptionUseCases } from './subscriptions/app/subscriptions.ts';
import { workOnSchedule } from './subscriptions/app/work-on-schedule.ts';
import { usageHandlers } from './usage/api/usage-handlers.ts';
import { reportUsage } from './usage/app/report-usage.ts';
import { usageUseCases } from './usage/app/usage.ts';
import { onClientGroupChanged } from './usage/reactions/on-client-group-changed.ts';
import { savePolicy } from './usage/store/client-policies-store.ts';
import { openPorts, type Ports } from './wiring/ports.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = (frame) => {
  const { settings, logger } = frame;
  const ports = openPorts(frame);
  if (ports.sandbox) {
    logger.warn('payments go through the sandbox: credits and seats are given for test cards, and no money moves');
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
