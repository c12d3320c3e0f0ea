import { newId, type ActorContext, type Clock } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import { earliest, untilFirstDue, type ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { paymentMethodHandlers } from './api/payment-method-handlers.ts';
import { webhookHandlers } from './api/webhook-handlers.ts';
import { cancelPayment, collectPayment, lookAfterPayments, type PaymentPorts } from './app/collect-payment.ts';
import { countWithinLimit, requireWithinLimit } from './app/limit-payments.ts';
import { paymentMethodUseCases, type PaymentMethodPorts } from './app/payment-methods.ts';
import { receiveDispute, type ProviderEventPorts } from './app/receive-provider-event.ts';
import { reconcilePayments, type ReconciliationPorts } from './app/reconcile-payments.ts';
import { cardCountry } from './app/wallets.ts';
import type { Payment, PaymentRequest } from './domain/payment.ts';
import type { ReportedDispute } from './domain/provider-event.ts';
import { differenceKinds } from './domain/reconciliation.ts';
import { reportSandboxDisputes } from './sandbox/sandbox-disputes.ts';
import { sandboxProvider } from './sandbox/sandbox-provider.ts';
import { paymentLimits, paymentsThrough, type PaymentsThrough } from './settings.ts';
import { paymentCountsStore } from './store/payment-counts-store.ts';
import { paymentsStore } from './store/payments-store.ts';
import { providerEventsStore } from './store/provider-events-store.ts';
import { sandboxStore } from './store/sandbox-store.ts';
import { walletsStore } from './store/wallets-store.ts';

export type PaymentsExports = Awaited<ReturnType<typeof paymentsArea>>['exports'];

/** What those who sell something say to it. */
type PaymentsNeeds = Pick<PaymentMethodPorts, 'isChargedAgain' | 'defaultChanged'> &
  Pick<PaymentPorts, 'paymentOver' | 'paymentPending'> &
  Pick<ProviderEventPorts, 'disputeReported' | 'refundReported'> &
  Pick<ReconciliationPorts, 'isBooked'> & { readonly time: OrganisationTime };

/** Payments: what organisations pay with, and who takes their money. */
export const paymentsArea = async (
  { settings, storage, clock, logger, metrics }: BillingContext,
  { time, ...needs }: PaymentsNeeds,
) => {
  const { database } = storage;
  const { provider, sandbox, sandboxBooks, webhooks } = await providerOf(paymentsThrough(settings), database, clock);
  if (sandbox) {
    logger.warn(
      { event: 'payments.in_sandbox' },
      'payments go through the sandbox: credits and seats are given for test cards, and no money moves',
    );
  }
  const wallets = walletsStore(database, provider.name);
  const providerEvents = providerEventsStore(database);
  const ports = {
    ...needs,
    payments: paymentsStore(database),
    counts: paymentCountsStore(database),
    limits: paymentLimits(settings),
    wallets,
    provider,
    leaseMs: settings.BILLING_CHANGE_LEASE_SECONDS * 1000,
    clock,
    logger,
  };
  const useCases = paymentMethodUseCases({ ...ports, sandbox, webhooks, providerEvents });
  let found: ReadonlyMap<string, number> = new Map();
  for (const kind of differenceKinds) {
    const help = 'Payments about which the processor says otherwise, by the last comparison of this replica.';
    metrics.observe('billing_payment_differences', help, () => found.get(kind) ?? 0, { kind });
  }
  const disputes = sandboxBooks && {
    books: sandboxBooks,
    ...{ clock, logger },
    report: async (dispute: ReportedDispute): Promise<void> => {
      const name = await ports.payments.find(null, dispute.paymentReference);
      // It is written down by now, or asked for again: then the processor's name for it is known.
      if (!name) throw new Error(`the payment ${dispute.paymentReference} is not known yet`);
      await receiveDispute(ports, name, dispute, newId());
    },
  };
  const onSchedule = async (scope: ScheduleScope): Promise<number> =>
    (await lookAfterPayments(ports, scope)) + (disputes ? await reportSandboxDisputes(disputes, scope) : 0);
  const firstDueAt = async (scope: ScheduleScope): Promise<Date | null> =>
    earliest(await ports.payments.firstDueAt(scope), (await sandboxBooks?.firstDisputeAt(scope)) ?? null);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { PaymentMethodService: paymentMethodHandlers(useCases), WebhookService: webhookHandlers(useCases) },
    jobs: [
      {
        name: 'the looking after payments',
        everyMs,
        run: () => time.forRealTime(onSchedule),
        untilDueMs: untilFirstDue({ forRealTime: time.forRealTime, clock }, firstDueAt),
      },
      {
        name: 'the reconciliation of payments',
        everyMs: settings.BILLING_RECONCILIATION_HOURS * 3_600_000,
        run: async () => {
          const differences = await reconcilePayments(ports, settings.BILLING_RECONCILIATION_DAYS);
          found = new Map(
            Object.entries(Object.groupBy(differences, ({ kind }) => kind)).map(([kind, all]) => [kind, all.length]),
          );
        },
      },
    ],
    exports: {
      wallets,
      provider,
      payments: ports.payments,
      /** What it takes to look after payments. */
      ports,
      collectPayment: (request: PaymentRequest) => collectPayment(ports, request),
      /** RATE_LIMITED: too many purchases were begun. */
      countPurchase: (by: ActorContext) => countWithinLimit(ports, by, 'purchases'),
      /** Both RATE_LIMITED: too many refunds were begun. */
      requireRefundAllowed: (by: ActorContext) => requireWithinLimit(ports, by, 'refunds'),
      countRefund: (by: ActorContext) => countWithinLimit(ports, by, 'refunds'),
      cardCountry: (organisationId: string, paymentMethodId: string | null) =>
        cardCountry(ports, organisationId, paymentMethodId),
      cancelPayment: (payment: Payment) => cancelPayment(ports, payment),
      paymentOver: ports.paymentOver,
      onSchedule,
      nextDueAt: async (organisationId: string): Promise<Date | null> =>
        earliest(
          await ports.payments.nextDueAt(organisationId),
          (await sandboxBooks?.nextDisputeAt(organisationId)) ?? null,
        ),
      defaultChanged: ports.defaultChanged,
    },
  } satisfies Area<typeof service.declaration>;
};

/** Where nothing is paid through Stripe its package, which takes a seventh of a start to load, is left alone. */
async function providerOf(settings: PaymentsThrough, database: Database, clock: Clock) {
  if (settings.processor === 'stripe') {
    const { stripeProvider } = await import('./stripe/stripe-provider.ts');
    const stripe = stripeProvider(settings);
    return { provider: stripe, sandbox: null, sandboxBooks: null, webhooks: stripe };
  }
  const books = sandboxStore(database);
  const sandbox = sandboxProvider({ books, clock, cardUnlessSetUp: settings.cardUnlessSetUp });
  return { provider: sandbox, sandbox, sandboxBooks: books, webhooks: null };
}
