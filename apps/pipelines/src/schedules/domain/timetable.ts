/** Times that come again and again: five fields of cron, local to an IANA time zone. */
export interface CronTimes {
  readonly cron: string;
  readonly timeZone: string;
}

export interface TimesFlaw {
  readonly of: 'cron' | 'time_zone';
  readonly problem: string;
}

/**
 * Knows calendars and clocks. A time of day that the clocks skip comes at the first moment after the gap, one that comes
 * twice is taken the first time alone; what is repeated within the hours (`*`, `*` with a step) goes on by the clock, skips
 * what is not there and takes both.
 */
export interface Timetable {
  /** The first time after `after`; null: there is none any more. */
  readonly next: (times: CronTimes, after: Date) => Date | null;
  /** Which of the two is none that can be used, and why, in words that follow its name. */
  readonly flawOf: (times: CronTimes) => TimesFlaw | undefined;
}
