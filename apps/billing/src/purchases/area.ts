import type { ActorContext } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { InvoicesExports } from '../invoices/area.ts';
import type { PaymentsExports } from '../payments/area.ts';
import type { Payment } from '../payments/domain/payment.ts';
import type { PricesExports } from '../prices/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import type { ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { purchaseHandlers } from './api/purchase-handlers.ts';
import { chargePurchase } from './app/charge-purchase.ts';
import { purchaseUseCases, type PurchasedCredits } from './app/purchases.ts';
import type { CreditPurchase } from './domain/credit-purchase.ts';
import { creditPurchasesStore } from './store/credit-purchases-store.ts';

export type PurchasesExports = ReturnType<typeof purchasesArea>['exports'];

interface PurchasesNeeds {
  readonly prices: PricesExports;
  readonly invoices: InvoicesExports;
  readonly credits: CreditsExports;
  readonly payments: PaymentsExports;
  readonly refundSurplus: (payment: Payment) => Promise<void>;
  readonly time: OrganisationTime;
}

/** Purchases: credits that are bought, from the payment to the grant. */
export const purchasesArea = (
  context: BillingContext,
  { prices, invoices, credits, payments, refundSurplus, time }: PurchasesNeeds,
) => {
  const { settings, storage, clock, logger } = context;
  const ports = {
    ...prices,
    ...invoices,
    ...credits,
    ...payments,
    purchases: creditPurchasesStore(storage.database, invoices.invoiceTerms),
    leaseMs: settings.BILLING_CHANGE_LEASE_SECONDS * 1000,
    refundSurplus,
    clock,
  };
  const useCases = purchaseUseCases(ports);
  const onSchedule = (scope: ScheduleScope) => useCases.payAbandoned(logger, scope);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { CreditService: purchaseHandlers(useCases) },
    jobs: [{ name: 'the payment of abandoned purchases', everyMs, run: () => time.forRealTime(onSchedule) }],
    exports: {
      /** What it takes to go on with a purchase. */
      ports,
      priceOfPurchase: (organisationId: string, wanted: PurchasedCredits, at: Date) =>
        useCases.priceOfPurchase(organisationId, wanted, at),
      chargePurchase: (by: ActorContext, purchase: CreditPurchase) => chargePurchase(ports, by, purchase),
      takeOver: useCases.takeOver,
      isBooked: useCases.isBooked,
      onSchedule,
    },
  } satisfies Area<typeof service.declaration>;
};
