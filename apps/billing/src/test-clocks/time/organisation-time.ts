import { outsideOfCalls, type Clock } from '@platform-backend/core';
import { AsyncLocalStorage } from 'node:async_hooks';
import { unheardMs, type OrganisationTime } from '../domain/organisation-time.ts';
import { timeOf, type TestClock } from '../domain/test-clock.ts';
import type { TestClocks } from '../domain/test-clocks.ts';

/** Organisations with a test clock go by that. Who has one is kept for a second, how far it is ahead is not. */
export function organisationTime(testClocks: TestClocks, real: Clock): OrganisationTime {
  const current = new AsyncLocalStorage<Pick<TestClock, 'aheadMs'>>();
  let known: { readonly at: number; readonly organisations: Promise<ReadonlySet<string>> } | undefined;

  const organisations = (): Promise<ReadonlySet<string>> => {
    const at = real.now().getTime();
    if (!known || Math.abs(at - known.at) >= unheardMs) {
      const asked = { at, organisations: outsideOfCalls(() => testClocks.organisations().then((all) => new Set(all))) };
      asked.organisations.catch(() => {
        if (known === asked) known = undefined;
      });
      known = asked;
    }
    return known.organisations;
  };

  return {
    clock: {
      now: () => {
        const ahead = current.getStore();
        return ahead ? timeOf(ahead, real.now()) : real.now();
      },
    },

    async by(organisationId, work) {
      const clock = (await organisations()).has(organisationId) ? await testClocks.get(organisationId) : null;
      return clock ? current.run(clock, work) : work();
    },

    // Not from memory: what is due by the real time shall not happen to who has just moved a clock.
    forRealTime: async (round) => round({ except: await testClocks.organisations() }),

    forget() {
      known = undefined;
    },
  };
}
