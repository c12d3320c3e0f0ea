import { invalidField } from '@platform-backend/core';
import type { CronTimes, Timetable } from './timetable.ts';

/**
 * What becomes of times at which nobody could act: the latest one is made up for, each of the last day is, or none that is
 * later than a minute.
 */
export type CatchUp = 'LATEST' | 'ALL' | 'NONE';

/** When something is due. */
export interface ScheduleSpec extends CronTimes {
  /** Not due before; null: from now on. */
  readonly startsAt: Date | null;
  readonly catchUp: CatchUp;
}

/** Whose schedule it is. One owner has at most one. */
export interface ScheduleOwner {
  readonly kind: 'TASK_TEMPLATE' | 'PIPELINE';
  readonly id: string;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** So many at once; the rest of them follows in the next round. */
const MAX_AT_ONCE = 100;

/** Where in a request cron and time zone stand. */
export interface ScheduleFields {
  readonly of?: 'body' | 'query';
  readonly cron: string;
  readonly timeZone: string;
}

/** INVALID at the field: a cron expression that cannot be used or never comes true, a time zone that nobody knows. */
export function requireTimes(times: CronTimes, timetable: Timetable, fields: ScheduleFields): void {
  const flaw = timetable.flawOf(times);
  if (flaw === undefined) return;
  const [field, input] = flaw.of === 'cron' ? [fields.cron, times.cron] : [fields.timeZone, times.timeZone];
  throw invalidField([fields.of ?? 'body', field], flaw.problem, input);
}

/** The first time it is due after this moment. */
export function firstDue(spec: ScheduleSpec, at: Date, timetable: Timetable): Date | null {
  const { startsAt } = spec;
  const after = startsAt && startsAt > at ? new Date(startsAt.getTime() - 1) : at;
  return timetable.next(spec, after);
}

/** The next times it is due, at most so many. */
export function nextDue(spec: ScheduleSpec, at: Date, timetable: Timetable, count: number): readonly Date[] {
  const times: Date[] = [];
  let next = firstDue(spec, at, timetable);
  while (next && times.length < count) {
    times.push(next);
    next = timetable.next(spec, next);
  }
  return times;
}

export interface Due {
  /** To be acted on now, oldest first. */
  readonly times: readonly Date[];
  /** When to look again; null: never. */
  readonly nextAt: Date | null;
}

/** What is due of a spec that was last looked at when `since` was its next time. */
export function dueNow(spec: ScheduleSpec, since: Date, now: Date, timetable: Timetable): Due {
  if (since > now) return { times: [], nextAt: since };
  if (spec.catchUp === 'ALL') return allDue(spec, since, now, timetable);
  const latest = latestDue(spec, since, now, timetable);
  const isMissed = spec.catchUp === 'NONE' && now.getTime() - latest.getTime() > MINUTE;
  return { times: isMissed ? [] : [latest], nextAt: timetable.next(spec, now) };
}

function allDue(spec: ScheduleSpec, since: Date, now: Date, timetable: Timetable): Due {
  const dayAgo = new Date(now.getTime() - DAY);
  const times: Date[] = [];
  let next: Date | null = since < dayAgo ? timetable.next(spec, dayAgo) : since;
  while (next && next <= now && times.length < MAX_AT_ONCE) {
    times.push(next);
    next = timetable.next(spec, next);
  }
  return { times, nextAt: next };
}

/** By halving, for years may have gone by, and a time a minute. `since` is one of the times. */
function latestDue(spec: ScheduleSpec, since: Date, now: Date, timetable: Timetable): Date {
  let latest = since;
  let from = since.getTime();
  let until = now.getTime();
  while (until - from > 1) {
    const middle = Math.floor((from + until) / 2);
    const found = timetable.next(spec, new Date(middle));
    if (found && found <= now) {
      latest = found;
      from = found.getTime();
    } else {
      until = middle;
    }
  }
  return latest;
}
