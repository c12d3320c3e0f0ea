import type { Area } from '@platform-backend/service';
import type { BalanceAlertsExports } from '../balance-alerts/area.ts';
import type { MetersExports } from '../meters/area.ts';
import type { PurchasesExports } from '../purchases/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { SubscriptionsExports } from '../subscriptions/area.ts';
import type { TestClocksExports } from '../test-clocks/area.ts';
import { closeDeletedOrganisations } from './app/close-organisation.ts';
import { onOrganisationDeleted } from './reactions/on-organisation-deleted.ts';
import { beginClosure, organisationClosuresStore } from './store/organisation-closures-store.ts';

interface ClosureNeeds {
  readonly testClocks: TestClocksExports;
  readonly balanceAlerts: BalanceAlertsExports;
  readonly purchases: PurchasesExports;
  readonly subscriptions: SubscriptionsExports;
  readonly meters: MetersExports;
}

/** The closure of an organisation that was deleted: what billing has begun for it is ended, what was bought stays. */
export const organisationClosureArea = (
  context: BillingContext,
  { testClocks, balanceAlerts, purchases, subscriptions, meters }: ClosureNeeds,
) => {
  const { settings, storage, logger } = context;
  const ports = {
    ...purchases.ports,
    ...subscriptions.ports,
    testClocks: testClocks.ports.testClocks,
    removeMeters: meters.removeAll,
    alerts: balanceAlerts.ports.alerts,
    closures: organisationClosuresStore(storage.database),
  };
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    reactions: { 'billing-on-organisation-deleted': onOrganisationDeleted(beginClosure) },
    jobs: [
      { name: 'the closing of deleted organisations', everyMs, run: () => closeDeletedOrganisations(ports, logger) },
    ],
    exports: { ports },
  } satisfies Area<typeof service.declaration>;
};
