import { cachedForMetrics } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { PricesExports } from '../prices/area.ts';
import type { BillingContext, service } from '../service.ts';
import type { TestClocksExports } from '../test-clocks/area.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import type { ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { creditHandlers } from './api/credit-handlers.ts';
import { creditUseCases } from './app/credits.ts';
import type { GroupPolicies } from './app/reserve-credits.ts';
import { sweepCredits } from './app/sweep-credits.ts';
import { welcomeGrant } from './app/welcome-credits.ts';
import { onDebitCreated } from './reactions/on-debit-created.ts';
import { creditAccountsStore, openWith } from './store/credit-accounts-store.ts';
import { bookDebits, bookDebitsOfMany } from './store/debit-statement.ts';

export type CreditsExports = ReturnType<typeof creditsArea>['exports'];

interface CreditsNeeds {
  readonly prices: PricesExports;
  readonly groupPolicies: GroupPolicies;
  readonly time: OrganisationTime;
  readonly nowIn: TestClocksExports['nowIn'];
}

/** Credits: the account of an organisation, what is set aside and taken from it, and the ledger that says why. */
export const creditsArea = (context: BillingContext, { prices, groupPolicies, time, nowIn }: CreditsNeeds) => {
  const { settings, storage, clock, wakeRelay, logger, metrics } = context;
  const { priceBook: book } = prices;
  const priceBook = { ...book, welcomeCredits: settings.BILLING_WELCOME_CREDITS ?? book.welcomeCredits };
  const credits = creditAccountsStore(storage.database, wakeRelay);
  const ports = { credits, priceBook, groupPolicies, clock };
  const useCases = creditUseCases(ports);
  const onSchedule = async (scope: ScheduleScope): Promise<number> => {
    const { released, expired } = await sweepCredits({ ...ports, logger }, scope);
    return released + expired;
  };
  const everyMs = settings.BILLING_SWEEP_SECONDS * 1000;
  const reservations = cachedForMetrics(() => credits.openReservations());
  metrics.observe(
    'billing_reservations_open',
    'Reservations of credits that are open.',
    async () => (await reservations()).open,
  );
  metrics.observe(
    'billing_reservations_oldest_overdue_seconds',
    'For how long the reservation that is held longest beyond its time should have been given back; 0: none is.',
    async () => {
      const { oldestExpiry } = await reservations();
      return Math.max(0, clock.now().getTime() - (oldestExpiry ?? clock.now()).getTime()) / 1000;
    },
  );
  return {
    handlers: { CreditService: creditHandlers(useCases) },
    reactions: {
      'billing-on-debit-created': onDebitCreated({
        bookOfMany: async (owed) => {
          const booked = await bookDebitsOfMany(storage.database, owed, clock.now());
          wakeRelay();
          return booked;
        },
        bookOfOne: async (owed) => {
          const [first] = owed;
          if (!first) return;
          await storage.database.tenant(first.by.organisationId, async (trx) => {
            const at = await nowIn(trx, first.by.organisationId);
            const isOpened = await bookDebits(trx, owed, at);
            if (isOpened) await openWith(trx, first.by, at, welcomeGrant(ports, at));
          });
          wakeRelay();
        },
        logger,
      }),
    },
    jobs: [
      {
        name: 'the sweep of credits',
        everyMs,
        run: () => time.forRealTime(onSchedule),
        untilDueMs: async () => {
          const { oldestExpiry } = await credits.openReservations();
          return oldestExpiry ? oldestExpiry.getTime() - clock.now().getTime() : undefined;
        },
      },
    ],
    exports: {
      credits,
      getCreditBalance: useCases.getCreditBalance,
      onSchedule,
      nextDueAt: async (organisationId: string) => (await credits.get(organisationId)).account.nextExpiryAt,
    },
  } satisfies Area<typeof service.declaration>;
};
