import type { OrganisationServiceClient } from '@platform-backend/contract-identity';
import { RoundRobin } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import { readFileSync } from 'node:fs';
import type { CouponsExports } from '../coupons/area.ts';
import type { InvoicesExports } from '../invoices/area.ts';
import type { GivenBackOf } from '../invoices/domain/given-back.ts';
import type { PaymentsExports } from '../payments/area.ts';
import type { Payment } from '../payments/domain/payment.ts';
import type { PricesExports } from '../prices/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import { untilFirstDue, type ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { payInvoiceHandlers } from './api/pay-invoice-handlers.ts';
import { priceHandlers } from './api/price-handlers.ts';
import { subscriptionHandlers } from './api/subscription-handlers.ts';
import { changePaymentOver } from './app/run-subscription-change.ts';
import { isRenewing, subscriptionUseCases } from './app/subscriptions.ts';
import { workOnSchedule } from './app/work-on-schedule.ts';
import { currentOrganisation, identityOrganisations } from './clients/identity-organisations.ts';
import { parseSeatPrices } from './domain/parse-seat-prices.ts';
import { isPaidBy } from './domain/subscription-change.ts';
import { subscriptionsStore, type TakenAtOnce } from './store/subscriptions-store.ts';

export type SubscriptionsExports = ReturnType<typeof subscriptionsArea>['exports'];

interface SubscriptionsNeeds {
  readonly prices: PricesExports;
  readonly invoices: InvoicesExports;
  readonly payments: PaymentsExports;
  readonly givenBack: GivenBackOf;
  readonly refundSurplus: (payment: Payment) => Promise<void>;
  readonly takenAtOnce: TakenAtOnce;
  readonly coupons: CouponsExports;
  readonly time: OrganisationTime;
}

/** Subscriptions: plans and their seats, paid for by period, changed in between and renewed. */
export const subscriptionsArea = (
  context: BillingContext,
  { prices, invoices, payments, coupons, givenBack, refundSurplus, takenAtOnce, time }: SubscriptionsNeeds,
) => {
  const { settings, storage, clock, logger, client } = context;
  const identity = client<OrganisationServiceClient<CallOptions>>('platform.identity.v1.OrganisationService');
  const seatPrices = parseSeatPrices(readFileSync(settings.BILLING_SEAT_PRICES, 'utf8'));
  const ports = {
    ...prices,
    ...invoices,
    ...payments,
    ...coupons,
    subscriptions: subscriptionsStore(storage.database, invoices.invoiceTerms, takenAtOnce),
    organisations: identityOrganisations(identity),
    seatPrices,
    defaultCycle: 'MONTHLY' as const,
    grace: { graceDays: settings.BILLING_GRACE_DAYS, retryHours: settings.BILLING_RENEWAL_RETRY_HOURS },
    leaseMs: settings.BILLING_CHANGE_LEASE_SECONDS * 1000,
    refundSurplus,
    turns: { notices: new RoundRobin(), credits: new RoundRobin(), renewals: new RoundRobin() },
    clock,
  };
  const seats = { currency: seatPrices.currency, currentOrganisation: currentOrganisation(identity) };
  const useCases = subscriptionUseCases(ports);
  const onSchedule = (scope: ScheduleScope) => workOnSchedule(ports, logger, scope);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: {
      SubscriptionService: subscriptionHandlers(useCases, seats),
      InvoiceService: payInvoiceHandlers(useCases, givenBack),
      PriceService: priceHandlers(prices.priceBook, seatPrices),
    },
    jobs: [
      {
        name: 'the schedule of subscriptions',
        everyMs,
        run: () => time.forRealTime(onSchedule),
        untilDueMs: untilFirstDue({ forRealTime: time.forRealTime, clock }, ports.subscriptions.firstDueAt),
      },
    ],
    exports: {
      onSchedule,
      nextDueAt: (organisationId: string) => ports.subscriptions.nextDueAt(organisationId),
      /** What it takes to change a subscription. */
      ports,
      paymentOver: (payment: Payment) => changePaymentOver(ports, payment),
      /** Whether the change that a payment was for has come about, or is about to. */
      isBooked: async (payment: Payment): Promise<boolean> => {
        const change = await ports.subscriptions.change(payment.organisationId, payment.subjectId);
        return change !== null && isPaidBy(change, payment);
      },
      /** Has a renewal that was refused tried at once. */
      tryNow: (organisationId: string) => ports.subscriptions.tryNow(organisationId, clock.now()),
      isRenewing: (organisationId: string) => isRenewing(ports.subscriptions, organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};
