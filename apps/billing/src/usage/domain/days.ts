const dayMs = 86_400_000;

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
