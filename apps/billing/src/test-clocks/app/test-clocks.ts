import { newId, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { testClockNotFound } from '../domain/errors.ts';
import { unheardMs, type OrganisationTime } from '../domain/organisation-time.ts';
import type { ScheduleScope } from '../domain/schedule-scope.ts';
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  stepTestClock,
  timeOf,
  type TestClock,
} from '../domain/test-clock.ts';
import type { TestClocks } from '../domain/test-clocks.ts';

export interface TestClockPorts {
  readonly testClocks: TestClocks;
  readonly time: OrganisationTime;
  /** The real one. */
  readonly clock: Clock;
  /** What time brings about, as far as it is due; answers how much of it happened. */
  readonly runSchedules: (scope: ScheduleScope) => Promise<number>;
  /** When the next of it is due; null: nothing is ahead. */
  readonly nextDueAt: (organisationId: string) => Promise<Date | null>;
}

/** A clock, and what time it shows. */
export interface ShownClock extends TestClock {
  readonly now: Date;
}

/** What can be done with test clocks. */
export const testClockUseCases = ({ testClocks, time, clock }: TestClockPorts) => {
  const shown = (known: TestClock): ShownClock => ({ ...known, now: timeOf(known, clock.now()) });
  return {
    async createTestClock(by: ActorContext, name: string): Promise<ShownClock> {
      const at = clock.now();
      const created = await testClocks.update(by, at, (known) => createTestClock(known, { id: newId(), name }, at));
      time.forget();
      return shown(created);
    },

    /** NOT_FOUND: there is none. */
    async getTestClock(organisationId: string): Promise<ShownClock> {
      const known = await testClocks.get(organisationId);
      if (!known) throw testClockNotFound();
      return shown(known);
    },

    async advanceTestClock(by: ActorContext, to: Date): Promise<ShownClock> {
      const at = clock.now();
      return shown(await testClocks.update(by, at, (known) => advanceTestClock(known, to, at)));
    },

    async deleteTestClock(by: ActorContext): Promise<string> {
      const at = clock.now();
      const id = await testClocks.update(by, at, (known) => deleteTestClock(known, at));
      time.forget();
      return id;
    },
  };
};

export type TestClockUseCases = ReturnType<typeof testClockUseCases>;

/** How long whoever looks after a clock may be silent before others do. */
const leaseMs = 60_000;

/** So many rounds for what is due at one moment: what is left then waits for something. */
const maxRounds = 20;

/**
 * One round over all test clocks: what is due by the time of each happens, and those that are being advanced go on, from one
 * moment at which something is due to the next. Replicas share it. Answers how many steps were gone.
 */
export async function lookAfterTestClocks(
  ports: TestClockPorts,
  logger: Logger,
  stopping: AbortSignal,
): Promise<number> {
  let steps = 0;
  for (const organisationId of await ports.testClocks.organisations()) {
    try {
      while (!stopping.aborted && (await goOneStep(ports, organisationId))) steps += 1;
    } catch (error) {
      logger.warn(
        { event: 'test_clock.failed', err: error, organisationId },
        'a test clock could not be advanced now, trying again',
      );
    }
  }
  return steps;
}

/** True: it was moved, and there may be more to do. */
async function goOneStep(ports: TestClockPorts, organisationId: string): Promise<boolean> {
  const { testClocks, time, clock, runSchedules, nextDueAt } = ports;
  const at = clock.now();
  const taken = await testClocks.take(organisationId, at, new Date(at.getTime() + leaseMs));
  if (!taken) return false;
  // Every replica has heard of it by then.
  const isKnown = at.getTime() - taken.createdAt.getTime() >= unheardMs;
  const by = systemActor(organisationId, newId());
  if (isKnown) await time.by(organisationId, () => runAllDue(runSchedules, organisationId));
  const next = isKnown ? await nextDueAt(organisationId) : null;
  const { moved } = await testClocks.update(by, clock.now(), (known) => {
    const step = known && isKnown && known.id === taken.id ? stepTestClock(known, next, clock.now()) : null;
    if (!step || step.state === known) return { state: known, events: [], result: { moved: false } };
    return { ...step, result: { moved: true } };
  });
  await testClocks.release(organisationId, clock.now());
  return moved;
}

async function runAllDue(runSchedules: TestClockPorts['runSchedules'], organisationId: string): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    if ((await runSchedules({ only: organisationId })) === 0) return;
  }
}
