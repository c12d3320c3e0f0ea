import type { Knex } from '@platform-backend/postgres';
import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { testClockHandlers } from './api/test-clock-handlers.ts';
import { lookAfterTestClocks, testClockUseCases, type TestClockPorts } from './app/test-clocks.ts';
import { realTimeAlone } from './domain/organisation-time.ts';
import { timeOf } from './domain/test-clock.ts';
import { testClockIn, testClocksStore } from './store/test-clocks-store.ts';
import { organisationTime } from './time/organisation-time.ts';

export type TestClocksExports = ReturnType<typeof testClocksArea>['exports'];

interface TestClocksNeeds extends Pick<TestClockPorts, 'runSchedules' | 'nextDueAt'> {
  /** Otherwise all organisations go by the real time. */
  readonly hasTestClocks: boolean;
}

/** Test clocks: what time it is for an organisation that tries a year in the sandbox. With a live processor there are none. */
export const testClocksArea = (
  { settings, storage, clock, logger }: BillingContext,
  { hasTestClocks, ...needs }: TestClocksNeeds,
) => {
  const testClocks = testClocksStore(storage.database);
  const time = hasTestClocks ? organisationTime(testClocks, clock) : realTimeAlone(clock);
  const ports = { ...needs, testClocks, time, clock };
  const job = {
    name: 'the looking after test clocks',
    everyMs: settings.BILLING_SCHEDULE_SECONDS * 1000,
    run: (stopping: AbortSignal) => lookAfterTestClocks(ports, logger, stopping),
  };
  return {
    handlers: { TestClockService: testClockHandlers(hasTestClocks ? testClockUseCases(ports) : null) },
    jobs: hasTestClocks ? [job] : [],
    exports: {
      time,
      ports,
      /** What time it is for an organisation, asked in a transaction that is under way. */
      nowIn: async (trx: Knex.Transaction, organisationId: string): Promise<Date> => {
        const known = hasTestClocks ? await testClockIn(trx, organisationId) : null;
        return known ? timeOf(known, clock.now()) : clock.now();
      },
    },
  } satisfies Area<typeof service.declaration>;
};
