import { RoundRobin } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import type { ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { balanceAlertHandlers } from './api/balance-alert-handlers.ts';
import { balanceAlertUseCases, tellCrossings } from './app/balance-alerts.ts';
import { balanceAlertsStore } from './store/balance-alerts-store.ts';

export type BalanceAlertsExports = ReturnType<typeof balanceAlertsArea>['exports'];

interface BalanceAlertsNeeds {
  readonly credits: CreditsExports;
  readonly time: OrganisationTime;
}

/** Balance alerts: an organisation hears that its credits run low before they are gone. */
export const balanceAlertsArea = (context: BillingContext, { credits, time }: BalanceAlertsNeeds) => {
  const { settings, storage, clock, logger } = context;
  const alerts = balanceAlertsStore(storage.database);
  const ports = { alerts, getCreditBalance: credits.getCreditBalance, clock, logger, turns: new RoundRobin() };
  const onSchedule = (scope: ScheduleScope) => tellCrossings(ports, scope);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { BalanceAlertService: balanceAlertHandlers(balanceAlertUseCases(ports)) },
    jobs: [{ name: 'the telling of low balances', everyMs, run: () => time.forRealTime(onSchedule) }],
    exports: { ports, onSchedule },
  } satisfies Area<typeof service.declaration>;
};
