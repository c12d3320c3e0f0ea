import { RoundRobin } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { PaymentsExports } from '../payments/area.ts';
import type { PurchasesExports } from '../purchases/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import type { ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { topUpHandlers } from './api/top-up-handlers.ts';
import { lookAfterTopUps, topUpUseCases, type TopUpPorts } from './app/automatic-top-ups.ts';
import { automaticTopUpsStore } from './store/automatic-top-ups-store.ts';

interface TopUpsNeeds {
  readonly credits: CreditsExports;
  readonly payments: PaymentsExports;
  readonly purchases: PurchasesExports;
  readonly time: OrganisationTime;
}

/** Top-ups: credits that are bought by themselves when the balance is low. */
export const topUpsArea = (context: BillingContext, { credits, payments, purchases, time }: TopUpsNeeds) => {
  const { settings, storage, clock, logger } = context;
  const ports: TopUpPorts = {
    topUps: automaticTopUpsStore(storage.database),
    purchases: purchases.ports.purchases,
    payments: payments.payments,
    priceOfPurchase: purchases.priceOfPurchase,
    chargePurchase: purchases.chargePurchase,
    getCreditBalance: credits.getCreditBalance,
    clock,
    logger,
    turns: new RoundRobin(),
  };
  const onSchedule = (scope: ScheduleScope) => lookAfterTopUps(ports, scope);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { TopUpService: topUpHandlers(topUpUseCases(ports)) },
    jobs: [{ name: 'the looking after top-ups', everyMs, run: () => time.forRealTime(onSchedule) }],
    exports: {
      ports,
      onSchedule,
      nextDueAt: (organisationId: string) => ports.topUps.resumesAt(organisationId),
    },
  } satisfies Area<typeof service.declaration>;
};
