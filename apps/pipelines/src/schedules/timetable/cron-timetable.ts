import { Cron } from 'croner';
import type { CronTimes, Timetable } from '../domain/timetable.ts';

/** `no-wildcard`: lists and ranges of times of day count as such, not only a single one, when clocks are put on or back. */
const times = ({ cron, timeZone }: CronTimes): Cron =>
  new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard' });

export const cronTimetable: Timetable = {
  next: (wanted, after) => times(wanted).nextRun(after),

  flawOf(wanted) {
    if (!isTimeZone(wanted.timeZone)) return { of: 'time_zone', problem: 'not an IANA time zone' };
    const problem = cronProblem(wanted);
    return problem === undefined ? undefined : { of: 'cron', problem };
  },
};

/** What each field takes, in their order. */
const FIELDS = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31, or L for the last'],
  ['month', '1 to 12, or JAN to DEC'],
  ['day of the week', '0 to 7, or SUN to SAT, with #1 to #5 which of the month'],
] as const;
const NICKNAMES = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];

function cronProblem({ cron, timeZone }: CronTimes): string | undefined {
  const parts = cron.trim().split(/ +/);
  if (cron.startsWith('@')) return NICKNAMES.includes(cron) ? undefined : `it is none of ${NICKNAMES.join(', ')}`;
  if (parts.length !== FIELDS.length) return `it has ${String(parts.length)} fields and not five`;
  for (const [index, [name, range]] of FIELDS.entries()) {
    const alone = FIELDS.map((_, at) => (at === index ? parts[at] : '*')).join(' ');
    if (!isReadable(alone, timeZone)) return `its ${name} cannot be ${parts[index] ?? ''}: ${range}`;
  }
  // No day of the calendar is further away than the next 29 February that is a Monday, say.
  return times({ cron, timeZone }).nextRun(new Date())
    ? undefined
    : 'it never comes true: no such month has such a day';
}

function isReadable(cron: string, timeZone: string): boolean {
  try {
    return times({ cron, timeZone }) instanceof Cron;
  } catch {
    return false;
  }
}

/** Offsets (`+02:00`) are none: they know no daylight saving, which is why one names a zone. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
