import { newId, type Clock, type Logger } from '@platform-backend/core';
import type { Schedules } from '../domain/schedules.ts';

export interface FirePorts {
  readonly schedules: Schedules;
  readonly clock: Clock;
}

const ROUND = 100;
const SNOOZE_MS = 30_000;
const FORGET_AFTER_MS = 31 * 24 * 60 * 60_000;

/**
 * One round of what is due; answers how many times were fired. Replicas share it: what one is at, the others pass by. One
 * that fails is left alone for a while and comes again, with nothing lost.
 */
export async function fireSchedules(
  { schedules, clock }: FirePorts,
  logger: Logger,
  stopping: AbortSignal,
): Promise<number> {
  let fired = 0;
  for (;;) {
    const round = await schedules.due(clock.now(), ROUND);
    let taken = 0;
    for (const due of round) {
      if (stopping.aborted) return fired;
      try {
        const times = await schedules.fire(due, clock.now(), newId());
        if (times === undefined) continue;
        taken += 1;
        fired += times;
      } catch (error) {
        logger.warn(
          { event: 'schedule.failed', err: error, organisationId: due.organisationId, ...due.owner },
          'a schedule could not be fired',
        );
        await schedules.snooze(due, new Date(clock.now().getTime() + SNOOZE_MS));
      }
    }
    // When others were at all of them, the rest is left to them as well.
    if (round.length < ROUND || taken === 0) return fired;
  }
}

/** Forgets times that cannot come a second time any more. */
export const forgetFired = ({ schedules, clock }: FirePorts): Promise<void> =>
  schedules.forgetFired(new Date(clock.now().getTime() - FORGET_AFTER_MS));
