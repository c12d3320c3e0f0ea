import type { ScheduleOwner } from './schedule.ts';

/** A schedule of which something is due. */
export interface DueSchedule {
  readonly organisationId: string;
  readonly owner: ScheduleOwner;
}

export interface Schedules {
  /** Those with something due, longest waiting first, over all organisations. */
  readonly due: (at: Date, limit: number) => Promise<readonly DueSchedule[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /**
   * Does what is due, each time once, in one transaction with what its owner does about it; answers how many times. Another
   * replica that is at it, or was, has it to itself: undefined.
   */
  readonly fire: (due: DueSchedule, at: Date, requestId: string) => Promise<number | undefined>;
  /** Leaves one alone until then, so that it does not keep others waiting. */
  readonly snooze: (due: DueSchedule, until: Date) => Promise<void>;
  /** Forgets what was fired before then. */
  readonly forgetFired: (before: Date) => Promise<void>;
}
