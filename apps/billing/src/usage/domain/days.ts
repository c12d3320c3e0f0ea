const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Nothing was counted before; and later years have five digits. */
const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(9999, 11, 31);

/** The UTC day a moment belongs to: `2026-01-31`. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** The first moment of a UTC day. */
export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

/** The UTC days that begin at `start` or later, and before `end`; none when the last is before the first. */
export function daysBeginningWithin(start: Date, end: Date): { readonly firstDay: string; readonly lastDay: string } {
  const day = (number: number) => dayOf(new Date(Math.min(Math.max(number * dayMs, earliestMs), latestMs)));
  return { firstDay: day(Math.ceil(start.getTime() / dayMs)), lastDay: day(Math.ceil(end.getTime() / dayMs) - 1) };
}

/** The first moment of the UTC hour that a moment belongs to. */
export const startOfHour = (date: Date): Date => new Date(Math.floor(date.getTime() / hourMs) * hourMs);

/** A stretch of whole UTC hours: `from` is the first one, and `to` the first one that is not in it any more. */
export interface HourRange {
  readonly from: Date;
  readonly to: Date;
}

/** The UTC hours that begin at `start` or later, and before `end`. */
export function hoursBeginningWithin(start: Date, end: Date): HourRange {
  const hour = (date: Date) =>
    new Date(Math.min(Math.max(Math.ceil(date.getTime() / hourMs) * hourMs, earliestMs), latestMs));
  return { from: hour(start), to: hour(end) };
}

/** How many hours these are; none where the last is before the first. */
export const hoursIn = ({ from, to }: HourRange): number => Math.max(0, (to.getTime() - from.getTime()) / hourMs);
