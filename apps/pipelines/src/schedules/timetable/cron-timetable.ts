import { Cron } from 'croner';
import type { CronTimes, Timetable } from '../domain/timetable.ts';

/** `no-wildcard`: lists and ranges of times of day count as such, not only a single one, when clocks are put on or back. */
const times = ({ cron, timeZone }: CronTimes): Cron =>
  new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard' });

export const cronTimetable: Timetable = {
  next: (wanted, after) => times(wanted).nextRun(after),

  flawOf(wanted) {
    if (!isTimeZone(wanted.timeZone)) return 'time_zone';
    try {
      // No day of the calendar is further away than the next 29 February that is a Monday, say.
      return times(wanted).nextRun(new Date()) ? undefined : 'cron';
    } catch {
      return 'cron';
    }
  },
};

/** Offsets (`+02:00`) are none: they know no daylight saving, which is why one names a zone. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
